import type { OnResolve } from '../config/enums.ts';
import type { Queryable } from '../db/queryable.ts';
import { MAX_NEWS_LINES, tellSession } from '../engine/news/news.ts';
import { lineOf } from './group-document.ts';
import type { TakenAlert } from './store/alerts.ts';

/** Tells an investigation that runs what a delivery changed of its group; false when it has ended. */
export async function tellChanges(
  tx: Queryable,
  sessionId: string,
  changed: readonly TakenAlert[],
  /** When all of the group is over: what its agents do then; null: others fire on. */
  over: OnResolve | null,
): Promise<boolean> {
  const joined = changed.filter(({ change, row }) => change !== 'RESOLVED' && row.state === 'FIRING');
  const resolved = changed.filter(({ change }) => change === 'RESOLVED');
  const isTold = joined.length === 0 || (await tell(tx, sessionId, 'ALERT_JOINED', joined, null));
  if (resolved.length === 0) return isTold;
  return (await tell(tx, sessionId, 'ALERT_RESOLVED', resolved, over)) && isTold;
}

async function tell(
  tx: Queryable,
  sessionId: string,
  type: 'ALERT_JOINED' | 'ALERT_RESOLVED',
  alerts: readonly TakenAlert[],
  onResolve: OnResolve | null,
): Promise<boolean> {
  const lines = alerts.slice(0, MAX_NEWS_LINES).map(({ row }) => lineOf(row, {}));
  const count = alerts.length;
  const content = contentOf(type, lines, count, onResolve);
  return (await tellSession(tx, sessionId, { type, content, lines, count, onResolve })) !== null;
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
