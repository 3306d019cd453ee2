import type { OnResolve } from '../config/enums.ts';
import type { Queryable } from '../db/queryable.ts';
import { addSourceUpdate, MAX_UPDATE_LINES } from '../engine/alert/source-updates.ts';
import { alertLine } from './group-document.ts';
import type { MergedAlert } from './store/alerts.ts';

/** Notifies a running investigation of the changes that a delivery made to its group. Returns false if it has ended. */
export async function notifySession(
  tx: Queryable,
  sessionId: string,
  changed: readonly MergedAlert[],
  /** The agents' action when the whole group is resolved; `null` if other alerts still fire. */
  over: OnResolve | null,
): Promise<boolean> {
  const joined = changed.filter(({ change, row }) => change !== 'RESOLVED' && row.state === 'FIRING');
  const resolved = changed.filter(({ change }) => change === 'RESOLVED');
  const isTold =
    joined.length === 0 ||
    (await notify(tx, sessionId, { type: 'ALERT_JOINED', alerts: joined, onResolve: null }));
  if (resolved.length === 0) return isTold;
  return (
    (await notify(tx, sessionId, { type: 'ALERT_RESOLVED', alerts: resolved, onResolve: over })) && isTold
  );
}

interface GroupUpdate {
  type: 'ALERT_JOINED' | 'ALERT_RESOLVED';
  alerts: readonly MergedAlert[];
  /** The agents' action when the whole group is resolved; `null` if other alerts still fire. */
  onResolve: OnResolve | null;
}

async function notify(
  tx: Queryable,
  sessionId: string,
  { type, alerts, onResolve }: GroupUpdate,
): Promise<boolean> {
  const lines = alerts.slice(0, MAX_UPDATE_LINES).map(({ row }) => alertLine(row, {}));
  const count = alerts.length;
  const content = contentOf(type, lines, count, onResolve);
  return (await addSourceUpdate(tx, sessionId, { type, content, lines, count, onResolve })) !== null;
}

function contentOf(
  type: 'ALERT_JOINED' | 'ALERT_RESOLVED',
  lines: readonly string[],
  count: number,
  onResolve: OnResolve | null,
): string {
  const alerts = count === 1 ? '1 alert' : `${count} alerts`;
  const what =
    type === 'ALERT_JOINED'
      ? `${alerts} of its group came or got worse:`
      : `${alerts} of its group ${count === 1 ? 'is' : 'are'} over${onResolve === null ? '' : ', and none fires any more'}:`;
  const more = count > lines.length ? [`- and ${count - lines.length} more`] : [];
  return [what, ...lines.map((line) => `- ${line}`), ...more].join('\n');
}
