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

/** Milliseconds that one call of Slack's API may take, and one attempt at a message with all its calls. */
export const SLACK_CALL_MS = 10_000;

export const SLACK_ATTEMPT_MS = 60_000;

/** Slack's Web API, for one channel. Every method throws SlackCallError. */
export interface SlackClient {
  /** @returns the message's `ts` */
  post(message: SlackMessage, threadTs: string | null): Promise<string>;
  /** Newest first, a page at a time. */
  history(since: Date): AsyncGenerator<FoundMessage[]>;
  /** Answers in a thread; oldest first. */
  replies(threadTs: string, since: Date): AsyncGenerator<FoundMessage[]>;
}

export interface SlackClientOptions {
  token: string;
  channel: string;
  /** Base of the API; default: Slack's own. */
  apiUrl?: string;
  /** Milliseconds that one call may take. */
  callTimeoutMs: number;
  /** Ends all calls. */
  signal: AbortSignal;
}

const PAGE_SIZE = 200;

/** It would log what is sent: at debug the texts, and on failures whatever an answer holds. */
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
    retryConfig: { retries: 0 }, // whoever calls knows when a message may be sent again
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    fetch: endedBy(signal),
  });
  const seconds = (moment: Date) => (moment.getTime() / 1000).toFixed(6);
  return {
    async post(message, threadTs) {
      const posting = web.chat.postMessage({
        channel,
        text: message.text,
        blocks: message.blocks,
        metadata: message.metadata,
        ...(threadTs === null ? {} : { thread_ts: threadTs }),
        parse: 'none',
        link_names: false,
        unfurl_links: false,
        unfurl_media: false,
      });
      return (await called(posting)).ts ?? '';
    },
    history: (since) => pages((page) => web.conversations.history({ ...page, oldest: seconds(since) })),
    replies: (ts, since) =>
      pages((page) => web.conversations.replies({ ...page, ts, oldest: seconds(since) })),
  };

  async function* pages(ask: (page: PageQuery) => Promise<Page>) {
    let cursor: string | undefined;
    do {
      const query = { channel, limit: PAGE_SIZE, include_all_metadata: true, ...(cursor ? { cursor } : {}) };
      const page = await called(ask(query));
      yield (page.messages ?? []) as FoundMessage[];
      cursor = page.response_metadata?.next_cursor;
    } while (cursor);
  }
}

/** What both kinds of pages have. */
type Page = ConversationsHistoryResponse | ConversationsRepliesResponse;

interface PageQuery {
  channel: string;
  limit: number;
  include_all_metadata: boolean;
  cursor?: string;
}

async function called<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw new SlackCallError(slackFailure(error));
  }
}

function endedBy(signal: AbortSignal): FetchFunction {
  return (url, init = {}) => {
    const both = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
    return fetch(url, { ...init, signal: both });
  };
}
