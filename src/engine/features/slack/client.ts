import {
  type ConversationsHistoryResponse,
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
  /** Returns the `ts` of the posted message, which is its id in Slack. */
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

  async function* pages(method: string, query: Record<string, string>): AsyncGenerator<FoundMessage[]> {
    const options = { ...query, channel, limit: PAGE_SIZE, include_all_metadata: true };
    try {
      for await (const page of web.paginate(method, options))
        yield ((page as ConversationsHistoryResponse).messages ?? []) as FoundMessage[];
    } catch (error) {
      throw new SlackCallError(slackFailure(error));
    }
  }

  return {
    async post(message, threadTs) {
      const thread = threadTs === null ? {} : { thread_ts: threadTs };
      const plain = { parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false } as const;
      try {
        const { ts } = await web.chat.postMessage({ channel, ...message, ...thread, ...plain });
        return ts ?? '';
      } catch (error) {
        throw new SlackCallError(slackFailure(error));
      }
    },
    history: (since) => pages('conversations.history', { oldest: seconds(since) }),
    replies: (ts, since) => pages('conversations.replies', { ts, oldest: seconds(since) }),
  };
}

function abortedBy(signal: AbortSignal): FetchFunction {
  return (url, init = {}) => {
    const combined = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
    return fetch(url, { ...init, signal: combined });
  };
}
