import type { Queryable, Transaction } from '../../../db/queryable.ts';
import { approvalMessage, type ComposeDeps, readApproval, startMessage } from './compose.ts';
import { type Call, type Edit, type EditDeps, editOf, MAX_CALLS, type Shown } from './edit.ts';
import { SlackCallError } from './failure.ts';
import { dueProgress, statusLine } from './progress.ts';
import { dueStreams, type StreamDeps } from './streams.ts';

/** Age (h) after which a message is not edited any more. */
const EDITED_HOURS = 24;

/** Pause after a temporary failure (ms). */
const PAUSE_MS = 10_000;

export interface EditorDeps extends ComposeDeps, StreamDeps, EditDeps {
  transaction: Transaction;
}

/**
 * Returns the function that brings posted messages up to date, a few per call: approvals first, then the status of
 * sessions. Changes between two calls become one edit. One process edits at a time; if a second one does because the
 * first lost its lock, nothing is lost, because each change shows a whole state.
 */
export function createSlackEditor(deps: EditorDeps): () => Promise<void> {
  const editedAt = new Map<string, number>();
  const pausedUntil: Record<Call, number> = { update: 0, append: 0, stop: 0 };

  async function apply({ sessionId, call, apply }: Edit): Promise<void> {
    editedAt.set(sessionId, performance.now());
    try {
      await apply();
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      const { code, retryAfterMs } = error.failure;
      deps.logger.warn({ code, sessionId, call }, 'slack message not edited');
      pausedUntil[call] = performance.now() + Math.max(retryAfterMs, PAUSE_MS);
    }
  }

  return () =>
    deps.transaction(async (tx) => {
      if (!(await isOnlyEditor(tx))) return;
      const sessions = [...(await dueStarts(deps)), ...(await dueStreams(deps, EDITED_HOURS))];
      const oldestFirst = sessions.sort(
        (a, b) => (editedAt.get(a.sessionId) ?? 0) - (editedAt.get(b.sessionId) ?? 0),
      );
      const left: Record<Call, number> = { ...MAX_CALLS };
      for (const due of [...(await dueApprovals(deps)), ...oldestFirst]) {
        if (left[due.call] === 0 || performance.now() < pausedUntil[due.call]) continue;
        left[due.call] -= 1;
        await tx.query('select 1'); // keeps the lock, which the database takes from an idle transaction
        await apply(due);
      }
      if (sessions.length === 0) editedAt.clear();
    });
}

async function dueStarts(deps: EditorDeps): Promise<Edit[]> {
  return (await dueProgress(deps.db, EDITED_HOURS)).map((row) =>
    editOf(deps, { ...row, point: 'STARTED' }, () => startMessage(deps, row.sessionId, statusLine(row))),
  );
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
  const { rows } = await deps.db.query<Shown & { id: string }>(
    `select p.session_id as "sessionId", p.point, p.message_ts as ts, d.state, a.id
     from approvals a
     join slack_posts p on p.session_id = a.session_id and p.point = 'APPROVAL:' || a.id
     cross join lateral (
       select a.status || ':' || (select count(*) from approval_decisions d where d.approval_id = a.id) as state
     ) d
     where a.updated_at > now() - interval '${EDITED_HOURS} hours' and p.status = 'POSTED' and p.message_ts <> ''
       and d.state <> coalesce(p.shown, 'PENDING:0')
     order by a.updated_at limit ${MAX_CALLS.update}`,
  );
  return rows.map(({ id, ...row }) =>
    editOf(deps, row, async () => {
      const view = await readApproval(deps.db, id);
      return view && approvalMessage(view, deps);
    }),
  );
}
