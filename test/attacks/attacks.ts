import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import type { Target } from './target.ts';

/**
 * An attack by one of many clients, by the client's name. Resolves when `signal` is aborted; an attack that
 * ends earlier is started again.
 */
export type Attack = (target: Target, signal: AbortSignal, name: string) => Promise<void>;

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

/** Attacks by sending a document over HTTP, and reading and discarding the answer. */
const http =
  (document: (target: Target) => string): Attack =>
  async (target, signal, name) => {
    const response = await fetch(`${target.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-user': name },
      body: JSON.stringify({ query: document(target) }),
      signal,
    });
    for await (const _ of response.body!);
  };

/** Attacks by requesting a document repeatedly on one WebSocket, reading each answer to its end. */
const webSocket =
  (document: (target: Target) => string, results: number): Attack =>
  async (target, signal, name) => {
    class As extends WebSocket {
      constructor(url: string, protocols: string) {
        super(url, protocols, { headers: { 'x-forwarded-user': name } });
      }
    }
    const client = createClient({ url: wsUrl(target), webSocketImpl: As, retryAttempts: 0 });
    signal.addEventListener('abort', () => void client.dispose());
    try {
      let left = results;
      for await (const _ of client.iterate({ query: document(target) })) if (--left === 0) break;
    } finally {
      await client.dispose();
    }
  };

/** Attacks by sending requests on more and more connections without reading an answer. */
const unread =
  (document: (target: Target) => string): Attack =>
  async (target, signal, name) => {
    const body = JSON.stringify({ query: document(target) });
    const { port } = new URL(target.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {}); // the server may cut the connection
    socket.pause();
    signal.addEventListener('abort', () => socket.destroy());
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-User: ${name}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await delay(100, undefined, { signal });
  };

const wsUrl = ({ url }: Target) => `${url.replace('http', 'ws')}/graphql`;

const aliases = (count: number) => (target: Target) =>
  `{ session(id: "${target.large}") { ${many(count, (n) => `a${n}: alertData`)} } }`;
const PAGE = () =>
  '{ sessions(first: 100) { nodes { a0: alertData a1: alertData a2: alertData a3: alertData } } }';
const search = (count: number) => () =>
  `{ ${many(
    count,
    (n) => `a${n}: sessions(first: 100, filter: { search: "error ${n} connection refused" }) {
    totalCount nodes { id } pageInfo { hasNextPage } }`,
  )} }`;
const submit = (count: number) => () =>
  `mutation { ${many(count, (n) => `a${n}: submitAlert(input: { data: "disk full on host ${n}" }) { __typename }`)} }`;
const replay = (target: Target) =>
  `subscription { sessionEvents(sessionId: "${target.long}") { __typename
    ... on TimelineEventCompleted { timelineEvent { ${many(20, (n) => `a${n}: content`)} } } } }`;

/** The attacks of hostile clients, by name. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'one large field by 99 names': http(aliases(99)),
  'one large field by 99 names, over WebSocket': webSocket(aliases(99), 1),
  'all alerts of a page, four times': http(PAGE),
  'all alerts of a page, four times, over WebSocket': webSocket(PAGE, 1),
  'answers as large as may be': http(aliases(15)),
  'large answers that nobody reads': unread(aliases(15)),
  'small answers that nobody reads': unread(aliases(1)),
  'timelines by many names': http(
    (target) => `{ session(id: "${target.long}") { timeline { ${many(30, (n) => `a${n}: type`)} } } }`,
  ),
  'replays of large events': webSocket(replay, 200),
  '99 searches': http(search(99)),
  'as many searches as may be': http(search(3)),
  '100 mutations': http(submit(100)),
  'alerts without end': http(submit(10)),
};
