import type { Deliveries } from './deliveries.ts';
import type { Link } from './link.ts';

/** Arguments and answer of a call of Slack's Web API. */
export type Args = Record<string, unknown>;
export type Result = { ok: boolean; error?: string } & Record<string, unknown>;

export const refuse = (error: string, more: object = {}): Result => ({ ok: false, error, ...more });

export interface SlackRequest {
  method: string;
  authorization: string | undefined;
  /** Arguments of the call, with JSON decoded. */
  args: Record<string, unknown>;
}

interface TextObject {
  type: string;
  text: string;
}

export interface PostedBlock {
  type: string;
  block_id?: string;
  text: TextObject;
  fields?: TextObject[];
  elements?: (TextObject & { action_id?: string; value?: string; url?: string; confirm?: unknown })[];
}

export interface PostedMessage {
  ts: string;
  thread_ts?: string;
  /** `thread_broadcast` for a reply that the channel shows, too. */
  subtype?: string;
  text: string;
  user?: string;
  bot_id?: string;
  blocks?: PostedBlock[];
  metadata?: unknown;
  attachments?: unknown;
  /** Set for streaming messages, also after their end. */
  streaming_state?: 'in_progress' | 'completed';
  /** Number of edits by chat.update. */
  edits?: number;
}

/** A fault in place of an answer. With `done`, the fault occurs after Slack has performed the request. */
export interface Fault {
  done?: boolean;
  status?: number;
  headers?: Record<string, string>;
  /** Body that is sent as the answer. For `how`, 'drop' cuts the connection and 'hang' never answers. */
  body?: object | string;
  how?: 'drop' | 'hang';
}

/** A member of the workspace, with further fields of users.info. */
export interface FakeUser extends Record<string, unknown> {
  email?: string;
}

/**
 * A server that behaves like Slack for one workspace with one channel: the Web API with scopes, limits of messages
 * and rates; signed requests with retries; and Socket Mode. Start the application with `slackApiUrl: slack.url`, the
 * token in the environment and `system.slack.channel: SLACK_CHANNEL`.
 */
export interface FakeSlack extends Deliveries {
  url: string;
  /** Every API call, in order. */
  requests: SlackRequest[];
  /** Every message in the channel and its threads, in order. */
  messages: PostedMessage[];
  /** Messages that only one user sees. */
  ephemerals: (PostedMessage & { user: string })[];
  /** Scopes of the bot's token. */
  scopes: Set<string>;
  users: Map<string, FakeUser>;
  /** True if the bot is in the channel. */
  isMember: boolean;
  /** Messages that a channel accepts at once. */
  burst: number;
  /** Messages that a channel accepts per second after a burst. Slack accepts one. */
  refill: number;
  /** Error with which Slack refuses to start a stream; `null` if the workspace has streaming messages. */
  streamRefusal: string | null;
  link: Link;
  /** Address that apps.connections.open returns; `null` for that of this server. */
  linkUrl: string | null;
  /** Posts a message of another user to the channel. Returns its ts. */
  say(text: string, more?: Partial<PostedMessage>): string;
  /** Makes the next calls of the method fail in this order. */
  fail(method: string, ...faults: Fault[]): void;
  /** Called when a message is in the channel and its call is not yet answered. */
  onPosted: (message: PostedMessage) => void | Promise<void>;
  /** Resolves once `count` calls of the method were answered or failed. */
  answered(method: string, count: number): Promise<void>;
  /** Ends every stream, as Slack does 5 minutes after its start. */
  expireStreams(): void;
  close(): Promise<void>;
}
