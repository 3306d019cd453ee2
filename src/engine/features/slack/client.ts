import { createRequire } from 'node:module';
import type {
  ConversationsHistoryResponse,
  FetchFunction,
  LogLevel,
  Logger as SlackLogger,
  UsersInfoResponse,
} from '@slack/web-api';
import { SlackCallError, slackFailure } from './failure.ts';
import type { FoundMessage, SlackMessage } from './message.ts';
import type { StreamChunk } from './plan.ts';

/** Timeout of one call of Slack's API (ms). */
export const SLACK_CALL_MS = 10_000;

/** Timeout of one attempt to post a message, with all its calls (ms). */
export const SLACK_ATTEMPT_MS = 60_000;

/** Installation of the app: its workspace, its own user and the scopes of its token. */
export interface SlackIdentity {
  teamId: string;
  botUserId: string;
  scopes: readonly string[];
}

/** A user of Slack, as far as TARSy reads it. */
export interface SlackUser {
  email: string | null;
  /** False for bots, guests, users of other workspaces, deactivated ones, and unconfirmed addresses. */
  isMember: boolean;
}

/** Client of Slack's Web API for one channel. Every method throws `SlackCallError`. */
export interface SlackClient {
  /** Returns the `ts` of the posted message, which is its id in Slack. */
  post(
    message: Pick<SlackMessage, 'text' | 'blocks'> & Partial<SlackMessage>,
    threadTs: string | null,
  ): Promise<string>;
  /** Replaces text, blocks and metadata of a message. Slack refuses it for a message that is streaming. */
  update(ts: string, message: SlackMessage): Promise<void>;
  /** Starts a streaming message in a thread. Returns its `ts`. */
  startStream(stream: StreamStart): Promise<string>;
  /** Adds to a streaming message. A task with a known id replaces that task's title and status. */
  appendStream(ts: string, chunks: StreamChunk[]): Promise<void>;
  /** Ends a streaming message. From then on it can be edited. */
  stopStream(ts: string, end: StreamEnd): Promise<void>;
  /** Posts a message that only one user sees. */
  whisper(
    user: string,
    message: { text: string; blocks?: SlackMessage['blocks'] },
    threadTs: string | null,
  ): Promise<void>;
  /** Yields pages of the channel's messages, newest first. */
  history(since: Date): AsyncGenerator<FoundMessage[]>;
  /** Yields pages of the replies in a thread, oldest first. */
  replies(threadTs: string, since: Date): AsyncGenerator<FoundMessage[]>;
  /** Returns the message of the channel, or the reply in a thread, with this `ts`; `null` if there is none. */
  messageAt(ts: string): Promise<FoundMessage | null>;
  identity(): Promise<SlackIdentity>;
  /** Returns a user of the workspace `teamId`; `null` if there is none. */
  user(id: string, teamId: string): Promise<SlackUser | null>;
  /** True if the bot is a member of the channel. */
  isInChannel(): Promise<boolean>;
}

export interface StreamStart {
  threadTs: string;
  /** Id of the user of the workspace to whom Slack shows the stream live. */
  recipient: string;
  teamId: string;
  chunks: StreamChunk[];
}

export interface StreamEnd {
  chunks?: StreamChunk[];
  metadata: SlackMessage['metadata'];
}

export interface SlackClientOptions {
  token: string;
  channel: string;
  /** @default Slack's own API */
  apiUrl?: string;
  callTimeoutMs: number;
  signal: AbortSignal;
}

const PAGE_SIZE = 200;

/** Logs nothing, because Slack's libraries would log texts, payloads and whole responses. */
export const SILENT: SlackLogger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => 'error' as LogLevel.ERROR,
  setName() {},
};

export function createSlackClient(options: SlackClientOptions): SlackClient {
  const { token, channel, apiUrl, callTimeoutMs, signal } = options;
  // Loaded here, because most installations have no Slack.
  const { WebClient } = createRequire(import.meta.url)('@slack/web-api') as typeof import('@slack/web-api');
  const web = new WebClient(token, {
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    logger: SILENT,
    timeout: callTimeoutMs,
    retryConfig: { retries: 0 }, // the notifier decides when a message may be sent again
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    fetch: abortedBy(signal),
  });
  const seconds = (moment: Date) => (moment.getTime() / 1000).toFixed(6);

  async function* pages(method: string, query: Record<string, string>): AsyncGenerator<FoundMessage[]> {
    const options = { ...query, channel, limit: PAGE_SIZE, include_all_metadata: true };
    try {
      for await (const page of web.paginate(method, options))
        yield ((page as ConversationsHistoryResponse).messages ?? []) as FoundMessage[];
    } catch (error) {
      throw new SlackCallError(slackFailure(error));
    }
  }

  /** Runs a call. Converts its failure. */
  async function call<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw new SlackCallError(slackFailure(error));
    }
  }

  const plain = { parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false } as const;
  const inThread = (threadTs: string | null) => (threadTs === null ? {} : { thread_ts: threadTs });
  return {
    post: (message, threadTs) =>
      call(async () => {
        const sent = { channel, ...message, ...inThread(threadTs), ...plain };
        return (await web.chat.postMessage(sent)).ts ?? '';
      }),
    update: (ts, { text, blocks, metadata }) =>
      call(async () => {
        await web.chat.update({ channel, ts, text, blocks, metadata, parse: 'none', link_names: false });
      }),
    startStream: ({ threadTs, recipient, teamId, chunks }) =>
      call(async () => {
        const to = { recipient_user_id: recipient, recipient_team_id: teamId };
        const sent = { channel, thread_ts: threadTs, ...to, task_display_mode: 'plan', chunks };
        return (await web.chat.startStream(sent)).ts ?? '';
      }),
    appendStream: (ts, chunks) =>
      call(async () => {
        await web.chat.appendStream({ channel, ts, chunks });
      }),
    stopStream: (ts, end) =>
      call(async () => {
        await web.chat.stopStream({ channel, ts, ...end });
      }),
    whisper: (user, message, threadTs) =>
      call(async () => {
        await web.chat.postEphemeral({ channel, user, ...message, ...inThread(threadTs), parse: 'none' });
      }),
    history: (since) => pages('conversations.history', { oldest: seconds(since) }),
    replies: (ts, since) => pages('conversations.replies', { ts, oldest: seconds(since) }),
    messageAt: (ts) =>
      call(async () => {
        const query = { channel, latest: ts, oldest: ts, inclusive: true, limit: 1 };
        const { messages = [] } = await web.conversations.history({ ...query, include_all_metadata: true });
        return (messages.find((message) => message.ts === ts) ?? null) as FoundMessage | null;
      }),
    identity: () =>
      call(async () => {
        const { team_id: teamId = '', user_id: botUserId = '', response_metadata } = await web.auth.test();
        return { teamId, botUserId, scopes: response_metadata?.scopes ?? [] };
      }),
    user: (id, teamId) =>
      call(async () => {
        const { user } = await web.users.info({ user: id });
        return user ? userOf(user, teamId) : null;
      }),
    isInChannel: () =>
      call(async () => (await web.conversations.info({ channel })).channel?.is_member === true),
  };
}

type FoundUser = NonNullable<UsersInfoResponse['user']>;

function userOf(user: FoundUser, teamId: string): SlackUser {
  const isOutside = user.team_id !== teamId || user.is_stranger === true;
  const isGuest = user.is_restricted === true || user.is_ultra_restricted === true;
  const isUnconfirmed = user.is_email_confirmed === false;
  const isMember = !(user.deleted || user.is_bot || isOutside || isGuest || isUnconfirmed);
  return { email: user.profile?.email ?? null, isMember };
}

function abortedBy(signal: AbortSignal): FetchFunction {
  return (url, init = {}) => {
    const combined = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
    return fetch(url, { ...init, signal: combined });
  };
}
