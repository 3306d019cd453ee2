import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL as PROTOCOL } from 'graphql-ws';
import { afterEach, expect, it, vi } from 'vitest';
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
  const api = { streams: 0, url: '' };
  const server = createServer((request, response) => {
    if (request.headers.accept !== 'text/event-stream')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{}}');
    api.streams += 1;
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
