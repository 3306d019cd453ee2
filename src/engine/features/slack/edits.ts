import type { Logger } from 'pino';
import type { Queryable, Transaction } from '../../../db/queryable.ts';
import type { SlackClient } from './client.ts';
import { approvalMessage, type ComposeDeps, readApproval, startMessage } from './compose.ts';
import { SlackCallError } from './failure.ts';
import type { SlackMessage } from './message.ts';
import { dueProgress, statusLine } from './progress.ts';

/** Messages that are edited in one round of 3 s. Slack accepts about 50 edits a minute. */
const MAX_EDITS = 2;

/** Age (h) after which a message is not edited any more. */
const EDITED_HOURS = 24;

/** Pause after a temporary failure (ms). */
const PAUSE_MS = 10_000;

/** A posted message that shows an older state. */
interface Edit {
  sessionId: string;
  point: string;
  ts: string;
  /** State that the message has to show. */
  state: string;
  compose: () => Promise<SlackMessage | null>;
}

export interface EditorDeps extends ComposeDeps {
  transaction: Transaction;
  openClient: () => SlackClient;
  logger: Logger;
}

/**
 * Returns the function that brings posted messages up to date, a few per call: approvals first, then the status of
 * sessions. Changes between two calls become one edit. One process edits at a time.
 */
export function createSlackEditor(deps: EditorDeps): () => Promise<void> {
  const editedAt = new Map<string, number>();
  let pausedUntil = 0;

  async function edit({ sessionId, point, ts, state, compose }: Edit): Promise<void> {
    try {
      const message = await compose();
      if (message) await deps.openClient().update(ts, message);
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      const { code, isTemporary, retryAfterMs } = error.failure;
      deps.logger.warn({ code, sessionId }, 'slack message not edited');
      if (isTemporary) {
        pausedUntil = performance.now() + Math.max(retryAfterMs, PAUSE_MS);
        return;
      }
    }
    await storeShown(deps.db, { sessionId, point, state });
  }

  return async () => {
    if (performance.now() < pausedUntil) return;
    await deps.transaction(async (tx) => {
      if (!(await isOnlyEditor(tx))) return;
      const progress = (await dueProgress(deps.db, EDITED_HOURS)).map((row): Edit => {
        const line = statusLine(row);
        return { ...row, point: 'STARTED', compose: () => startMessage(deps, row.sessionId, line) };
      });
      const oldestFirst = progress.sort(
        (a, b) => (editedAt.get(a.sessionId) ?? 0) - (editedAt.get(b.sessionId) ?? 0),
      );
      for (const due of [...(await dueApprovals(deps)), ...oldestFirst].slice(0, MAX_EDITS)) {
        if (performance.now() < pausedUntil) break;
        editedAt.set(due.sessionId, performance.now());
        await edit(due);
      }
      if (progress.length === 0) editedAt.clear();
    });
  };
}

/** True if no other process edits messages until the transaction ends. */
async function isOnlyEditor(tx: Queryable): Promise<boolean> {
  const { rows } = await tx.query<{ isFree: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('tarsy:slack-edits', 0)) as "isFree"`,
  );
  return rows[0]?.isFree === true;
}

/** Returns messages about approvals whose state differs from the shown one, the oldest first. */
async function dueApprovals(deps: EditorDeps): Promise<Edit[]> {
  const { rows } = await deps.db.query<Omit<Edit, 'compose'> & { id: string }>(
    `select p.session_id as "sessionId", p.point, p.message_ts as ts, d.state, a.id
     from approvals a
     join slack_posts p on p.session_id = a.session_id and p.point = 'APPROVAL:' || a.id
     cross join lateral (
       select a.status || ':' || (select count(*) from approval_decisions d where d.approval_id = a.id) as state
     ) d
     where a.updated_at > now() - interval '${EDITED_HOURS} hours' and p.status = 'POSTED' and p.message_ts <> ''
       and d.state <> coalesce(p.shown, 'PENDING:0')
     order by a.updated_at limit ${MAX_EDITS}`,
  );
  return rows.map(({ id, ...row }) => ({
    ...row,
    compose: async () => {
      const view = await readApproval(deps.db, id);
      return view && approvalMessage(view, deps);
    },
  }));
}

async function storeShown(
  db: Queryable,
  { sessionId, point, state }: Pick<Edit, 'sessionId' | 'point' | 'state'>,
): Promise<void> {
  await db.query('update slack_posts set shown = $3 where session_id = $1 and point = $2', [
    sessionId,
    point,
    state,
  ]);
}
