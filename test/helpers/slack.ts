import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const SLACK_TOKEN = 'xoxb-000000000000-synthetic';
export const SLACK_CHANNEL = 'C0000TEST';

export interface SlackRequest {
  method: string;
  authorization: string | undefined;
  /** Arguments of the call, with JSON decoded. */
  args: Record<string, unknown>;
}

export interface PostedMessage {
  ts: string;
  thread_ts?: string;
  text: string;
  blocks?: { type: string; block_id?: string; text: { type: string; text: string } }[];
  metadata?: unknown;
  attachments?: unknown;
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

/**
 * A server that implements Slack's Web API for one channel: chat.postMessage, conversations.history and
 * conversations.replies. Start the application with `slackApiUrl: slack.url`, the token in the environment
 * and `system.slack.channel: SLACK_CHANNEL`.
 */
export interface FakeSlack {
  url: string;
  /** Every API call, in order. */
  requests: SlackRequest[];
  /** Every message in the channel and its threads, in order. */
  messages: PostedMessage[];
  /** Posts a message of another user to the channel. Returns its ts. */
  say(text: string, more?: Partial<PostedMessage>): string;
  /** Makes the next calls of the method fail in this order. */
  fail(method: string, ...faults: Fault[]): void;
  /** Called when a message is in the channel and its call is not yet answered. */
  onPosted: (message: PostedMessage) => void | Promise<void>;
  /** Resolves once `count` calls of the method were answered or failed. */
  answered(method: string, count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startFakeSlack(): Promise<FakeSlack> {
  const faults = new Map<string, Fault[]>();
  const counts = new Map<string, number>();
  let wake = Promise.withResolvers<void>();
  let last = Math.floor(Date.now() / 1000) * 1e6;
  const nextTs = () => {
    last += 1;
    return `${Math.floor(last / 1e6)}.${String(last % 1e6).padStart(6, '0')}`;
  };
  const server = createServer(async (req, res) => {
    const request = await read(req);
    slack.requests.push(request);
    res.once('close', () => {
      counts.set(request.method, (counts.get(request.method) ?? 0) + 1);
      wake.resolve();
      wake = Promise.withResolvers();
    });
    const fault = faults.get(request.method)?.shift();
    const answer = fault && !fault.done ? null : await perform(slack, request, nextTs);
    if (fault) misbehave(fault, req, res);
    else json(res, 200, answer ?? {});
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const slack: FakeSlack = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    requests: [],
    messages: [],
    say(text, more = {}) {
      const message = { ts: nextTs(), text, ...more };
      slack.messages.push(message);
      return message.ts;
    },
    fail: (method, ...more) => void faults.set(method, [...(faults.get(method) ?? []), ...more]),
    onPosted: () => {},
    async answered(method, count) {
      while ((counts.get(method) ?? 0) < count) await wake.promise;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return slack;
}

async function read(req: IncomingMessage): Promise<SlackRequest> {
  let body = '';
  for await (const chunk of req) body += chunk;
  const args = Object.fromEntries(
    [...new URLSearchParams(body)].map(([key, text]) => [key, decoded(key, text)]),
  );
  return { method: String(req.url).replace('/api/', ''), authorization: req.headers.authorization, args };
}

function decoded(key: string, text: string): unknown {
  return ['blocks', 'metadata', 'limit'].includes(key) ? JSON.parse(text) : text;
}

async function perform(slack: FakeSlack, request: SlackRequest, nextTs: () => string): Promise<object> {
  const { args, method } = request;
  if (request.authorization !== `Bearer ${SLACK_TOKEN}`) return { ok: false, error: 'invalid_auth' };
  if (args.channel !== SLACK_CHANNEL) return { ok: false, error: 'channel_not_found' };
  if (method === 'chat.postMessage') return post(slack, args, nextTs);
  const isReplies = method === 'conversations.replies';
  const inPlace = slack.messages.filter(({ ts, thread_ts: thread }) =>
    isReplies ? thread === args.ts || ts === args.ts : thread === undefined || thread === ts,
  );
  const recent = inPlace.filter(({ ts }) => Number(ts) >= Number(args.oldest ?? 0));
  const ordered = isReplies ? recent : recent.reverse();
  const from = Number(args.cursor ?? 0);
  const to = from + Number(args.limit ?? 100);
  const next_cursor = to < ordered.length ? String(to) : '';
  return { ok: true, messages: ordered.slice(from, to), response_metadata: { next_cursor } };
}

async function post(slack: FakeSlack, args: Record<string, unknown>, nextTs: () => string): Promise<object> {
  const message = { ts: nextTs(), ...args } as PostedMessage;
  const { thread_ts: thread } = message;
  if (thread !== undefined && !slack.messages.some(({ ts }) => ts === thread))
    return { ok: false, error: 'thread_not_found' };
  if (message.blocks?.some(({ text }) => text.text === '' || text.text.length > 3000))
    return { ok: false, error: 'invalid_blocks' };
  slack.messages.push(message);
  await slack.onPosted(message);
  return { ok: true, ts: message.ts, channel: SLACK_CHANNEL };
}

function misbehave(
  { how, status = 200, headers, body = '' }: Fault,
  req: IncomingMessage,
  res: ServerResponse,
) {
  if (how === 'hang') return;
  if (how === 'drop') return void req.socket.destroy();
  json(res, status, body, headers);
}

function json(
  res: ServerResponse,
  status: number,
  body: object | string,
  headers: Record<string, string> = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}
