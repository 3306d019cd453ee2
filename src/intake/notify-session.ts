import type { OnResolve } from '../config/enums.ts';
import type { Queryable } from '../db/queryable.ts';
import { addSourceUpdate, MAX_UPDATE_LINES, type SourceUpdate } from '../engine/alert/source-updates.ts';
import { alertLine } from './group-document.ts';
import type { MergedAlert } from './store/alerts.ts';

/**
 * Notifies a running session of the changes that a delivery made to its group. Returns false if the session has ended.
 * @param onResolve the agents' action now that the whole group is resolved; `null` if other alerts still fire
 */
export async function notifySession(
  tx: Queryable,
  sessionId: string,
  changed: readonly MergedAlert[],
  onResolve: OnResolve | null,
): Promise<boolean> {
  const joined = changed.filter(({ change, row }) => change !== 'RESOLVED' && row.state === 'FIRING');
  const resolved = changed.filter(({ change }) => change === 'RESOLVED');
  const notify = async (type: SourceUpdate['type'], alerts: readonly MergedAlert[], text: string) => {
    const count = alerts.length;
    if (count === 0) return true;
    const lines = alerts.slice(0, MAX_UPDATE_LINES).map(({ row }) => alertLine(row, {}));
    const heading = `${count === 1 ? '1 alert' : `${count} alerts`} of the group ${text}:`;
    const content = updateText(heading, lines, count);
    const action = type === 'ALERT_RESOLVED' ? onResolve : null;
    return (
      (await addSourceUpdate(tx, sessionId, { type, content, lines, count, onResolve: action })) !== null
    );
  };
  const over = `resolved${onResolve === null ? '' : '; none is firing now'}`;
  const isActive = await notify('ALERT_JOINED', joined, 'fired or got worse');
  return (await notify('ALERT_RESOLVED', resolved, over)) && isActive;
}

/** Returns the heading, the lines as a list and the number of further lines. @param count number of all lines */
export function updateText(heading: string, lines: readonly string[], count: number): string {
  const more = count > lines.length ? [`- and ${count - lines.length} more`] : [];
  return [heading, ...lines.map((line) => `- ${line}`), ...more].join('\n');
}
