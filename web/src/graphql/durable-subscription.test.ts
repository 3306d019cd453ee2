import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL as PROTOCOL } from 'graphql-ws';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { subscribeDurably } from './durable-subscription.ts';
import { createSocket } from './socket.ts';

interface Numbers {
  numbers: { value: number; cursor: number };
}

interface Subscribe {
  id: string;
  payload: { variables: { after: number | null } };
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

type Source = (after: number, drop: () => void) => AsyncGenerator<number>;
class Refusal extends Error {
  readonly code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Starts a server that speaks the graphql-ws protocol. `source` yields the values of each subscription. */
async function serve(source: Source) {
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => PROTOCOL });
  await once(sockets, 'listening');
  closers.push(() => sockets.close());
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (message.type === 'connection_init') socket.send(JSON.stringify({ type: 'connection_ack' }));
      if (message.type === 'subscribe') void run(source, socket, message);
    });
  });
  const socket = createSocket(`ws://127.0.0.1:${(sockets.address() as AddressInfo).port}/graphql`);
  closers.push(() => socket.client.terminate());
  return socket;
}

async function run(source: Source, socket: WebSocket, { id, payload }: Subscribe): Promise<void> {
  const send = (message: object): void => socket.send(JSON.stringify({ id, ...message }));
  try {
    for await (const value of source(payload.variables.after ?? 0, () => socket.terminate()))
      send({ type: 'next', payload: { data: { numbers: { value, cursor: value } } } });
    if (socket.readyState === socket.OPEN) send({ type: 'complete' });
  } catch (error) {
    const { message, code } = error as Refusal;
    send({ type: 'error', payload: [{ message, extensions: { code } }] });
  }
}

/** Returns the values of a subscription once there are `count`. */
async function collect(client: ReturnType<typeof createSocket>['client'], count: number) {
  const seen: number[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = subscribeDurably<Numbers, { after: number | null }>(
    client,
    {
      query: 'subscription ($after: Int) { numbers(after: $after) { value cursor } }',
      variables: { after: null },
    },
    {
      next: ({ data }) => {
        if (data) seen.push(data.numbers.value);
        if (seen.length >= count) resolve();
      },
      refused: (message) => reject(new Error(message)),
    },
  );
  closers.push(stop);
  await promise;
  return seen;
}

describe('subscribeDurably', () => {
  it('resumes after the newest value each time the connection drops', async () => {
    const starts: number[] = [];
    const { client } = await serve(async function* (after, drop) {
      starts.push(after);
      yield after + 1;
      yield after + 2;
      drop();
    });
    expect(await collect(client, 6)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(starts).toEqual([0, 2, 4]);
  });

  it('subscribes again when the server completes the subscription', async () => {
    const { client } = await serve(async function* (after) {
      yield after + 1;
    });
    expect(await collect(client, 3)).toEqual([1, 2, 3]);
  });

  it('subscribes again after a transient error', async () => {
    let first = true;
    const { client } = await serve(async function* (after) {
      if (first) {
        first = false;
        throw new Refusal('too slow', 'SLOW_SUBSCRIBER');
      }
      yield after + 1;
      yield after + 2;
    });
    expect(await collect(client, 2)).toEqual([1, 2]);
  });

  it('gives up when the server refuses for good', async () => {
    const { client } = await serve(async function* () {
      yield 1;
      throw new Refusal('no such session', 'NOT_FOUND');
    });
    await expect(collect(client, 2)).rejects.toThrow('no such session');
  });

  it('reports the state of the connection', async () => {
    const socket = await serve(async function* (after, drop) {
      yield after + 1;
      drop();
    });
    const states: string[] = [];
    closers.push(socket.onState(() => states.push(socket.state())));
    expect(socket.state()).toBe('idle');
    await collect(socket.client, 2);
    expect(states.slice(0, 5)).toEqual(['connecting', 'connected', 'waiting', 'connecting', 'connected']);
  });
});
