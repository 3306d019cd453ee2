import type { OnResolve } from '../config/enums.ts';
import type { Queryable } from '../db/queryable.ts';
import { addSourceUpdate, MAX_UPDATE_LINES } from '../engine/alert/source-updates.ts';
import { alertLine } from './group-document.ts';
import type { MergedAlert } from './store/alerts.ts';

/**
 * Notifies a running investigation of the changes that a delivery made to its group. Returns false if it has ended.
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
  const verb = resolved.length === 1 ? 'is' : 'are';
  const updates = [
    { type: 'ALERT_JOINED', alerts: joined, text: 'came or got worse', onResolve: null },
    {
      type: 'ALERT_RESOLVED',
      alerts: resolved,
      text: `${verb} over${onResolve === null ? '' : ', and none fires any more'}`,
      onResolve,
    },
  ] as const;
  let isActive = true;
  for (const { type, alerts, text, onResolve: action } of updates) {
    if (alerts.length === 0) continue;
    const count = alerts.length;
    const lines = alerts.slice(0, MAX_UPDATE_LINES).map(({ row }) => alertLine(row, {}));
    const content = updateText(
      `${count === 1 ? '1 alert' : `${count} alerts`} of its group ${text}:`,
      lines,
      count,
    );
    const added = await addSourceUpdate(tx, sessionId, { type, content, lines, count, onResolve: action });
    isActive &&= added !== null;
  }
  return isActive;
}

/** Returns the first lines of a list, with the number of the others. */
export function updateText(heading: string, lines: readonly string[], count: number): string {
  const more = count > lines.length ? [`- and ${count - lines.length} more`] : [];
  return [heading, ...lines.map((line) => `- ${line}`), ...more].join('\n');
}
