import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDeliveries } from './deliveries.ts';
import { openLink } from './link.ts';
import { perform } from './methods.ts';
import { createRates } from './rates.ts';
import { expireStreams } from './streams.ts';
import type { FakeSlack, Fault, SlackRequest } from './types.ts';

const SCOPES = [
  ...['chat:write', 'channels:history', 'channels:read', 'users:read', 'users:read.email'],
  ...['commands', 'app_mentions:read', 'reactions:read'],
];

export async function startFakeSlack(): Promise<FakeSlack> {
  const faults = new Map<string, Fault[]>();
  const counts = new Map<string, number>();
  let wake = Promise.withResolvers<void>();
  let last = Math.floor(Date.now() / 1000) * 1e6;
  const nextTs = () => {
    last = Math.max(last + 1, Date.now() * 1000); // microseconds, each once
    return `${Math.floor(last / 1e6)}.${String(last % 1e6).padStart(6, '0')}`;
  };
  const isAllowed = createRates(() => slack);
  const server = createServer(async (req, res) => {
    const request = await read(req);
    slack.requests.push(request);
    res.once('close', () => {
      counts.set(request.method, (counts.get(request.method) ?? 0) + 1);
      wake.resolve();
      wake = Promise.withResolvers();
    });
    const fault = faults.get(request.method)?.shift();
    if (!fault && !isAllowed(request.method))
      return json(res, 429, { ok: false, error: 'ratelimited' }, { 'retry-after': '1' });
    const answer = fault && !fault.done ? null : await perform(slack, request, nextTs);
    if (fault) misbehave(fault, req, res);
    else json(res, 200, answer ?? {}, { 'x-oauth-scopes': [...slack.scopes].join(',') });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const link = openLink(server);
  const slack: FakeSlack = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    requests: [],
    messages: [],
    ephemerals: [],
    scopes: new Set(SCOPES),
    users: new Map(),
    isMember: true,
    burst: 500,
    streamRefusal: 'unknown_method',
    refill: 1,
    link,
    linkUrl: null,
    ...createDeliveries(nextTs),
    say(text, more = {}) {
      const message = { ts: nextTs(), text, user: 'U0000OTHER', ...more };
      slack.messages.push(message);
      return message.ts;
    },
    fail: (method, ...more) => void faults.set(method, [...(faults.get(method) ?? []), ...more]),
    onPosted: () => {},
    expireStreams: () => expireStreams(slack),
    async answered(method, count) {
      while ((counts.get(method) ?? 0) < count) await wake.promise;
    },
    async close() {
      link.close();
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
  return ['blocks', 'chunks', 'metadata', 'limit'].includes(key) ? JSON.parse(text) : text;
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
