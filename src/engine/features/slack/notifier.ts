import type { Logger } from 'pino';
import type { SlackPostRow } from '../../../db/entities/index.ts';
import type { SlackPoint } from '../../../db/enums.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { WARNING_CATEGORIES, type Warnings } from '../../../warnings.ts';
import { readSession } from '../../store/sessions.ts';
import type { SlackClient, SlackIdentity } from './client.ts';
import { type ComposeDeps, composeMessage } from './compose.ts';
import { type Delivery, deliver } from './deliver.ts';
import { failure, isRateLimit, isSetupProblem, SlackCallError, type SlackFailure } from './failure.ts';
import { isMessageOf, isStreamOf } from './message.ts';
import { changePost, claimPost, postponePost } from './posts.ts';
import { areStreamsRefused, newStream, type StreamDeps } from './streams.ts';

/** Delays between attempts (ms), about half a day in total. Slack may ask for longer ones. */
const SLACK_RETRY_MS = [
  5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 14_400_000,
] as const;

/** Minimum pause of all messages after Slack refused one because of its rate limit (ms). */
const RATE_LIMIT_MS = 1_000;

export interface SlackNotifierDeps extends ComposeDeps, StreamDeps {
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
 * count as attempts, because otherwise a burst of messages would use up their attempts. The start of streams has a rate
 * limit of its own. If Slack refuses to start a stream, the session goes without one: edits show its progress.
 */
export function createSlackNotifier(deps: SlackNotifierDeps): SlackNotifier {
  const { db, warnings } = deps;
  const pausedUntil = { posts: 0, streams: 0 };
  let known: SlackIdentity | null = null;

  async function messageDelivery({ sessionId, point }: SlackPostRow, client: SlackClient): Promise<Delivery> {
    const session = await readSession(db, sessionId);
    const message = session && (await composeMessage(deps, session, point));
    return {
      fingerprint: session?.slackMessageFingerprint ?? null,
      isPosted: (found) => isMessageOf(found, sessionId, point),
      send: message && ((threadTs) => client.post(message, threadTs)),
    };
  }

  async function streamDelivery(
    { sessionId, point }: SlackPostRow,
    client: SlackClient,
  ): Promise<Delivery & { shown: () => string | null }> {
    const stream = (await areStreamsRefused(db)) ? null : await newStream(deps, sessionId);
    known ??= await client.identity();
    const { botUserId, teamId } = known;
    let shown: string | null = null;
    const send = async (
      { recipient, chunks, state }: NonNullable<typeof stream>,
      threadTs: string | null,
    ) => {
      if (threadTs === null) throw new SlackCallError(failure('thread_not_found', { isTemporary: false }));
      const ts = await client.startStream({ threadTs, recipient, teamId, chunks });
      shown = state;
      return ts;
    };
    return {
      fingerprint: null,
      isPosted: (found) => isMessageOf(found, sessionId, point) || isStreamOf(found, sessionId, botUserId),
      send: stream && ((threadTs) => send(stream, threadTs)),
      shown: () => shown,
    };
  }

  async function attempt(post: SlackPostRow, logger: Logger): Promise<void> {
    const client = deps.openClient();
    const stream = post.point === 'PROGRESS' ? await streamDelivery(post, client) : null;
    const delivered = await deliver(
      { db, client, logger },
      post,
      stream ?? (await messageDelivery(post, client)),
    );
    if (delivered.status === 'SUPERSEDED') return logger.warn('slack attempt superseded');
    if (delivered.status === 'SKIPPED') {
      await changePost(db, post, { status: 'SKIPPED', sending: false }); // the session ended meanwhile or was deleted
      return;
    }
    const streaming = stream && { isStream: true, shown: stream.shown() };
    const { ts: messageTs } = delivered;
    await changePost(db, post, { status: 'POSTED', messageTs, ...streaming, sending: false, error: null });
    await warnings.clear(WARNING_CATEGORIES.slack);
    logger.info('slack message posted');
  }

  async function handleFailure(post: SlackPostRow, failure: SlackFailure, logger: Logger): Promise<void> {
    const isLimited = isRateLimit(failure);
    const wait = isLimited ? RATE_LIMIT_MS : SLACK_RETRY_MS[post.attempts - 1];
    // Slack may refuse streams alone, and other messages find a wrong setup, too.
    if (isSetupProblem(failure) && post.point !== 'PROGRESS') {
      const message = `Slack refuses messages about sessions: ${failure.code}. Check the token, its scopes and the channel.`;
      await warnings.raise({ category: WARNING_CATEGORIES.slack, message });
    }
    if (!failure.isTemporary || wait === undefined) {
      await changePost(db, post, { status: 'FAILED', error: failure.code });
      if (post.point === 'PROGRESS')
        return logger.warn({ code: failure.code }, 'slack stream not started, progress is shown by edits');
      return logger.error({ code: failure.code }, 'slack message failed');
    }
    const inMs = Math.max(wait, failure.retryAfterMs);
    if (isLimited) pausedUntil[kindOf(post.point)] = performance.now() + inMs;
    const isOurs = await changePost(db, post, { dueInMs: inMs, error: failure.code, isUncounted: isLimited });
    if (isOurs) await deps.enqueue(db, post.sessionId, post.point);
    logger.warn({ code: failure.code, inMs }, 'slack attempt failed, retrying');
  }

  return {
    async run(sessionId, point) {
      const pauseMs = pausedUntil[kindOf(point)] - performance.now();
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

const kindOf = (point: SlackPoint) => (point === 'PROGRESS' ? 'streams' : 'posts');
