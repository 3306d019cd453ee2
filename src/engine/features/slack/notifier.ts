import type { Logger } from 'pino';
import type { SlackPostRow } from '../../../db/entities/index.ts';
import { isTerminalStatus, type SlackPoint } from '../../../db/enums.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { WARNING_CATEGORIES, type Warnings } from '../../../warnings.ts';
import { readStoredReport } from '../../store/reports.ts';
import { readSession } from '../../store/sessions.ts';
import type { SlackClient } from './client.ts';
import { deliver } from './deliver.ts';
import { isSetupProblem, SlackCallError, type SlackFailure } from './failure.ts';
import { sessionMessage } from './message.ts';
import { changePost, claimPost } from './posts.ts';

/** Milliseconds from a failed attempt at a message to the next, over about half a day; Slack may ask for more. */
export const SLACK_RETRY_MS = [
  5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 14_400_000,
] as const;

export interface SlackNotifierDeps {
  db: Queryable;
  /** A client for one attempt. */
  openClient: () => SlackClient;
  dashboardUrl: string;
  mask: (text: string) => string;
  /** Queues the next attempt at a post, for when it is due. */
  enqueue: (db: Queryable, sessionId: string, point: SlackPoint) => Promise<void>;
  warnings: Warnings;
  logger: Logger;
}

export interface SlackNotifier {
  /** Posts the message about a session when it is due; does nothing when it is done. */
  run(sessionId: string, point: SlackPoint): Promise<void>;
}

/**
 * Tells Slack about sessions. A post's row says whether it is done. An attempt that may have posted without having
 * recorded it (it died, or Slack did not answer) is followed by a search for the message before the next one posts;
 * when the search cannot tell, nothing is posted again: rather no message than two.
 */
export function createSlackNotifier(deps: SlackNotifierDeps): SlackNotifier {
  const { db, warnings } = deps;

  async function attempt(post: SlackPostRow, logger: Logger): Promise<void> {
    const session = await readSession(db, post.sessionId);
    if (!session || (post.point === 'STARTED' && isTerminalStatus(session.status))) {
      await changePost(db, post, { status: 'SKIPPED' }); // nobody waits for the news that it began
      return;
    }
    const isEnd = post.point === 'TERMINAL';
    const report = isEnd ? await readStoredReport(db, session.id) : null;
    const notes = isEnd ? await budgetNotes(db, session.id) : [];
    const message = sessionMessage(post.point, { ...deps, session, report, notes });
    const fingerprint = session.slackMessageFingerprint ?? null;
    const ts = await deliver({ db, client: deps.openClient(), logger }, post, message, fingerprint);
    if (ts === null) return logger.warn('another attempt took over');
    await changePost(db, post, { status: 'POSTED', messageTs: ts, sending: false, error: null });
    await warnings.clear(WARNING_CATEGORIES.slack);
    logger.info('told Slack');
  }

  async function failed(post: SlackPostRow, failure: SlackFailure, logger: Logger): Promise<void> {
    const wait = SLACK_RETRY_MS[post.attempts - 1];
    if (isSetupProblem(failure)) {
      const message = `Slack cannot be told about sessions: ${failure.code}`;
      await warnings.raise({ category: WARNING_CATEGORIES.slack, message });
    }
    if (!failure.isTemporary || wait === undefined) {
      await changePost(db, post, { status: 'FAILED', error: failure.code });
      return logger.error({ code: failure.code }, 'Slack is not told');
    }
    const inMs = Math.max(wait, failure.retryAfterMs);
    const isOurs = await changePost(db, post, { dueInMs: inMs, error: failure.code });
    if (isOurs) await deps.enqueue(db, post.sessionId, post.point);
    logger.warn({ code: failure.code, inMs }, 'Slack could not be told, trying again');
  }

  return {
    async run(sessionId, point) {
      const post = await claimPost(db, sessionId, point);
      if (!post) return;
      const logger = deps.logger.child({ sessionId, point, attempt: post.attempts });
      try {
        await attempt(post, logger);
      } catch (error) {
        // An error of the database is not Slack's: the post is taken up again when its time is over.
        if (!(error instanceof SlackCallError)) throw error;
        await failed(post, error.failure, logger);
      }
    },
  };
}

/** What was last done about each budget that the session met; at most so many. */
async function budgetNotes(db: Queryable, sessionId: string): Promise<string[]> {
  const { rows } = await db.query<{ content: string }>(
    `select distinct on (metadata->>'budget') content from timeline_events
     where session_id = $1 and type = 'BUDGET_REACHED' order by metadata->>'budget', sequence_number desc limit 3`,
    [sessionId],
  );
  return rows.map(({ content }) => content);
}
