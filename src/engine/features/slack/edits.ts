import type { Logger } from 'pino';
import type { Queryable } from '../../../db/queryable.ts';
import type { SlackClient } from './client.ts';
import { approvalMessage, type ComposeDeps, readApproval } from './compose.ts';
import { SlackCallError } from './failure.ts';
import type { SlackMessage } from './message.ts';

/** Messages that are edited in one round. Slack accepts about one edit a second. */
const MAX_EDITS = 3;

/** Age (h) after which a message is not edited any more. */
const EDITED_HOURS = 24;

interface Edit {
  sessionId: string;
  point: string;
  ts: string;
  /** State that the message has to show. */
  state: string;
}

export interface EditorDeps extends ComposeDeps {
  openClient: () => SlackClient;
  logger: Logger;
}

/** Returns the function that brings posted messages up to date, a few per call; any process may call it at any time. */
export function createSlackEditor(deps: EditorDeps): () => Promise<void> {
  const { db, logger } = deps;
  let pausedUntil = 0;
  return async () => {
    if (performance.now() < pausedUntil) return;
    for (const edit of await dueEdits(db)) {
      try {
        const message = await editedMessage(deps, edit);
        if (message) await deps.openClient().update(edit.ts, message);
      } catch (error) {
        if (!(error instanceof SlackCallError)) throw error;
        const { code, isTemporary, retryAfterMs } = error.failure;
        logger.warn({ code, sessionId: edit.sessionId }, 'slack message not edited');
        if (isTemporary) {
          pausedUntil = performance.now() + Math.max(retryAfterMs, PAUSE_MS);
          return;
        }
      }
      await storeShown(db, edit);
    }
  };
}

/** Pause after a temporary failure (ms). */
const PAUSE_MS = 10_000;

/** Returns messages about approvals whose state differs from the shown one, the oldest first. */
async function dueEdits(db: Queryable): Promise<Edit[]> {
  const { rows } = await db.query<Edit>(
    `select p.session_id as "sessionId", p.point, p.message_ts as ts, d.state
     from approvals a
     join slack_posts p on p.session_id = a.session_id and p.point = 'APPROVAL:' || a.id
     cross join lateral (
       select a.status || ':' || (select count(*) from approval_decisions d where d.approval_id = a.id) as state
     ) d
     where a.updated_at > now() - interval '${EDITED_HOURS} hours' and p.status = 'POSTED' and p.message_ts <> ''
       and d.state <> coalesce(p.shown, 'PENDING:0')
     order by a.updated_at limit ${MAX_EDITS}`,
  );
  return rows;
}

async function editedMessage(deps: EditorDeps, { point }: Edit): Promise<SlackMessage | null> {
  const view = await readApproval(deps.db, point.slice('APPROVAL:'.length));
  return view && approvalMessage(view, deps);
}

async function storeShown(db: Queryable, { sessionId, point, state }: Edit): Promise<void> {
  await db.query('update slack_posts set shown = $3 where session_id = $1 and point = $2', [
    sessionId,
    point,
    state,
  ]);
}
