import type { Logger } from 'pino';
import type { SlackPostRow } from '../../../db/entities/index.ts';
import type { SlackPoint } from '../../../db/enums.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { WARNING_CATEGORIES, type Warnings } from '../../../warnings.ts';
import { readSession } from '../../store/sessions.ts';
import type { SlackClient } from './client.ts';
import { type ComposeDeps, composeMessage } from './compose.ts';
import { deliver } from './deliver.ts';
import { isRateLimit, isSetupProblem, SlackCallError, type SlackFailure } from './failure.ts';
import { changePost, claimPost, postponePost } from './posts.ts';

/** Delays between attempts (ms), about half a day in total. Slack may ask for longer ones. */
const SLACK_RETRY_MS = [
  5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 14_400_000,
] as const;

/** Minimum pause of all messages after Slack refused one because of its rate limit (ms). */
const RATE_LIMIT_MS = 1_000;

export interface SlackNotifierDeps extends ComposeDeps {
  openClient: () => SlackClient;
  /** Queues the next attempt for the time when the post is due. */
  enqueue: (db: Queryable, sessionId: string, point: SlackPoint) => Promise<void>;
  warnings: Warnings;
  logger: Logger;
}

export interface SlackNotifier {
  /** Posts the message about a session if it is due and not yet posted. */
  run(sessionId: string, point: SlackPoint): Promise<void>;
}

/**
 * Posts messages about sessions; `slack_posts` stores their status. If a search cannot tell whether a message was
 * posted, it is not posted again, because a missing message is better than two. Rate limits pause all messages and do not
 * count as attempts, because otherwise a burst of messages would use up their attempts.
 */
export function createSlackNotifier(deps: SlackNotifierDeps): SlackNotifier {
  const { db, warnings } = deps;
  let pausedUntil = 0;

  async function attempt(post: SlackPostRow, logger: Logger): Promise<void> {
    const session = await readSession(db, post.sessionId);
    const message = session && (await composeMessage(deps, session, post.point));
    if (!session || !message) {
      await changePost(db, post, { status: 'SKIPPED' }); // the session ended meanwhile or was deleted
      return;
    }
    const fingerprint = session.slackMessageFingerprint ?? null;
    const ts = await deliver({ db, client: deps.openClient(), logger }, post, message, fingerprint);
    if (ts === null) return logger.warn('slack attempt superseded');
    await changePost(db, post, { status: 'POSTED', messageTs: ts, sending: false, error: null });
    await warnings.clear(WARNING_CATEGORIES.slack);
    logger.info('slack message posted');
  }

  async function handleFailure(post: SlackPostRow, failure: SlackFailure, logger: Logger): Promise<void> {
    const isLimited = isRateLimit(failure);
    const wait = isLimited ? RATE_LIMIT_MS : SLACK_RETRY_MS[post.attempts - 1];
    if (isSetupProblem(failure)) {
      const message = `Slack refuses messages about sessions: ${failure.code}. Check the token, its scopes and the channel.`;
      await warnings.raise({ category: WARNING_CATEGORIES.slack, message });
    }
    if (!failure.isTemporary || wait === undefined) {
      await changePost(db, post, { status: 'FAILED', error: failure.code });
      return logger.error({ code: failure.code }, 'slack message failed');
    }
    const inMs = Math.max(wait, failure.retryAfterMs);
    if (isLimited) pausedUntil = performance.now() + inMs;
    const isOurs = await changePost(db, post, { dueInMs: inMs, error: failure.code, isUncounted: isLimited });
    if (isOurs) await deps.enqueue(db, post.sessionId, post.point);
    logger.warn({ code: failure.code, inMs }, 'slack attempt failed, retrying');
  }

  return {
    async run(sessionId, point) {
      const pauseMs = pausedUntil - performance.now();
      if (pauseMs > 0) {
        if (await postponePost(db, { sessionId, point }, pauseMs)) await deps.enqueue(db, sessionId, point);
        return;
      }
      const post = await claimPost(db, sessionId, point);
      if (!post) return;
      const logger = deps.logger.child({ sessionId, point, attempt: post.attempts });
      try {
        await attempt(post, logger);
      } catch (error) {
        // After any other error, such as the database's, the post is claimed again when its lease expires.
        if (!(error instanceof SlackCallError)) throw error;
        await handleFailure(post, error.failure, logger);
      }
    },
  };
}
