import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL as PROTOCOL } from 'graphql-ws';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { createLiveConnection, type LiveConnection } from './live-connection.ts';
import { createSignIn, type SignIn } from './sign-in.ts';

const closers: (() => void)[] = [];
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
vi.stubGlobal('document', page); // until the end of the file, because connections try again for ever
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Starts an API that answers queries, counts event streams, and hands WebSockets to `upgrade`. */
async function serve(upgrade: Upgrade) {
  const open = new Set<ServerResponse>();
  const api = { streams: 0, url: '', breakStreams: () => open.forEach((stream) => void stream.destroy()) };
  const server = createServer((request, response) => {
    if (request.headers.accept !== 'text/event-stream')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{}}');
    api.streams += 1;
    open.add(response.on('close', () => open.delete(response)));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
  }).listen(0, '127.0.0.1');
  server.on('upgrade', upgrade);
  await once(server, 'listening');
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  api.url = `127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  return api;
}

const connect = (url: string, signIn: SignIn): LiveConnection =>
  createLiveConnection({ socketUrl: `ws://${url}`, httpUrl: `http://${url}`, signIn });

it('stays with the WebSocket if it is open again before the API has answered', async () => {
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => PROTOCOL });
  let connections = 0;
  const { url } = await serve((request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (connection) => {
      connections += 1;
      if (connections < 3) connection.close(4500);
      else connection.once('message', () => connection.send('{"type":"connection_ack"}'));
    }),
  );
  closers.push(() => sockets.clients.forEach((client) => void client.terminate()));
  const answer = Promise.withResolvers<true>();
  let checks = 0;
  const check = (): Promise<true> => {
    checks += 1;
    return answer.promise;
  };
  const live = connect(url, { ...createSignIn(`http://${url}`), check });
  await expect.poll(() => live.state()).toBe('connected');
  answer.resolve(true);
  await new Promise(setImmediate);
  expect([checks, live.transport()]).toEqual([2, 'websocket']);
});

it('opens event streams in place of a WebSocket only while the page is visible', async () => {
  page.visibilityState = 'hidden';
  const api = await serve((_request, socket) => socket.destroy());
  const live = connect(api.url, createSignIn(`http://${api.url}`));
  closers.push(live.subscribe({ query: 'subscription { ticks }' }, { next() {}, error() {}, complete() {} }));
  await expect.poll(() => live.transport()).toBe('http');
  expect(live.state()).toBe('waiting');
  page.visibilityState = 'visible';
  page.dispatchEvent(new Event('visibilitychange'));
  await expect.poll(() => [live.state(), api.streams]).toEqual(['connected', 1]);
});

describe('over HTTP', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  const sink = { next() {}, error() {}, complete() {} };
  /** Waits in real time, because the test controls the timers. */
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await new Promise(setImmediate);
  };

  /** Opens a connection whose WebSocket fails until its events come over HTTP. Counts its checks of the API. */
  async function open() {
    const api = await serve((_request, socket) => socket.destroy());
    const counts = { checks: 0, requests: 0 };
    const signIn = createSignIn(`http://${api.url}`);
    const live = connect(api.url, {
      ...signIn,
      fetch: (...request) => {
        counts.requests += 1;
        return signIn.fetch(...request);
      },
      check: async () => {
        counts.checks += 1;
        return true;
      },
    });
    while (live.transport() !== 'http') {
      await vi.advanceTimersByTimeAsync(50);
      await new Promise(setImmediate);
    }
    counts.checks = 0;
    return { api, live, counts };
  }

  it('pauses longer after each break of its streams', async () => {
    const { api, live, counts } = await open();
    closers.push(live.subscribe({ query: 'subscription { ticks }' }, sink));
    for (const [count, longest] of [250, 500, 1_000].entries()) {
      await until(() => api.streams === count + 1);
      api.breakStreams();
      await until(() => live.state() === 'waiting');
      await vi.advanceTimersByTimeAsync(longest / 2 - 1);
      expect(counts.checks).toBe(count);
      await vi.advanceTimersByTimeAsync(longest / 2 + 1);
      await until(() => live.state() === 'connected');
    }
  });

  it('checks the API once although the page is hidden and shown again meanwhile', async () => {
    const { live, counts } = await open();
    for (let times = 0; times < 3; times += 1) page.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(250);
    await until(() => live.state() === 'connected');
    expect(counts.checks).toBe(1);
  });

  it('starts no stream while it is not connected, and none that was ended', async () => {
    const { api, live, counts } = await open();
    page.visibilityState = 'hidden';
    page.dispatchEvent(new Event('visibilitychange'));
    closers.push(live.subscribe({ query: 'subscription { ticks }' }, sink));
    live.subscribe({ query: 'subscription { ticks }' }, sink)();
    expect(counts.requests).toBe(0);
    page.visibilityState = 'visible';
    page.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(250);
    await until(() => api.streams === 1);
    expect(counts.requests).toBe(1);
  });
});
