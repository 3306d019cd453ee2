import {
  type ConversationsHistoryResponse,
  type ConversationsRepliesResponse,
  type FetchFunction,
  LogLevel,
  type Logger as SlackLogger,
  WebClient,
} from '@slack/web-api';
import { SlackCallError, slackFailure } from './failure.ts';
import type { FoundMessage, SlackMessage } from './message.ts';

/** Timeout of one call of Slack's API (ms). */
export const SLACK_CALL_MS = 10_000;

/** Timeout of one attempt to post a message, with all its calls (ms). */
export const SLACK_ATTEMPT_MS = 60_000;

/** Client of Slack's Web API for one channel. Every method throws `SlackCallError`. */
export interface SlackClient {
  /** Returns the `ts` of the posted message. */
  post(message: SlackMessage, threadTs: string | null): Promise<string>;
  /** Yields pages of the channel's messages, newest first. */
  history(since: Date): AsyncGenerator<FoundMessage[]>;
  /** Yields pages of the replies in a thread, oldest first. */
  replies(threadTs: string, since: Date): AsyncGenerator<FoundMessage[]>;
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

/** Logs nothing, because the library would log sent texts and whole responses. */
const SILENT: SlackLogger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};

export function createSlackClient(options: SlackClientOptions): SlackClient {
  const { token, channel, apiUrl, callTimeoutMs, signal } = options;
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
  return {
    async post(message, threadTs) {
      const { ts } = await wrapErrors(
        web.chat.postMessage({
          channel,
          text: message.text,
          blocks: message.blocks,
          metadata: message.metadata,
          ...(threadTs === null ? {} : { thread_ts: threadTs }),
          parse: 'none',
          link_names: false,
          unfurl_links: false,
          unfurl_media: false,
        }),
      );
      return ts ?? '';
    },
    history: (since) => pages((page) => web.conversations.history({ ...page, oldest: seconds(since) })),
    replies: (ts, since) =>
      pages((page) => web.conversations.replies({ ...page, ts, oldest: seconds(since) })),
  };

  async function* pages(fetchPage: (page: PageQuery) => Promise<Page>) {
    let cursor: string | undefined;
    do {
      const query = { channel, limit: PAGE_SIZE, include_all_metadata: true, ...(cursor ? { cursor } : {}) };
      const page = await wrapErrors(fetchPage(query));
      yield (page.messages ?? []) as FoundMessage[];
      cursor = page.response_metadata?.next_cursor;
    } while (cursor);
  }
}

type Page = ConversationsHistoryResponse | ConversationsRepliesResponse;

interface PageQuery {
  channel: string;
  limit: number;
  include_all_metadata: boolean;
  cursor?: string;
}

async function wrapErrors<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw new SlackCallError(slackFailure(error));
  }
}

function abortedBy(signal: AbortSignal): FetchFunction {
  return (url, init = {}) => {
    const combined = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
    return fetch(url, { ...init, signal: combined });
  };
}
