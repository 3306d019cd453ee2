import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  type Client,
  type ExecutionResult,
  GRAPHQL_TRANSPORT_WS_PROTOCOL as PROTOCOL,
  type Sink,
} from 'graphql-ws';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

describe('subscribeDurably, while the server refuses for now', () => {
  /** Subscribes at a client that keeps the sinks and the variables of all attempts. */
  function attempts() {
    const sinks: Sink<ExecutionResult<Numbers, unknown>>[] = [];
    const after: unknown[] = [];
    const client: Pick<Client, 'subscribe'> = {
      subscribe: (payload, sink) => {
        sinks.push(sink as never);
        after.push(payload.variables?.after);
        return () => undefined;
      },
    };
    const request = { query: 'subscription', variables: { after: null } };
    const stop = subscribeDurably<Numbers, { after: null }>(client, request, {
      next: () => undefined,
      refused: (message) => expect.fail(message),
    });
    return { sinks, after, stop, fail: () => sinks.at(-1)!.error(new Error('busy')) };
  }
  const received = (cursor: number | null) => ({ data: { numbers: { value: 1, cursor } } }) as never;

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('pauses longer after each attempt, and short again after a result', async () => {
    const { sinks, fail } = attempts();
    for (const longest of [250, 500, 1000]) {
      fail();
      await vi.advanceTimersByTimeAsync(longest);
    }
    expect(sinks).toHaveLength(4);
    sinks.at(-1)!.next(received(7));
    fail();
    await vi.advanceTimersByTimeAsync(250);
    expect(sinks).toHaveLength(5);
  });

  it('keeps the newest cursor when a value has none', async () => {
    const { sinks, after, fail } = attempts();
    sinks[0]!.next(received(7));
    sinks[0]!.next(received(null));
    fail();
    await vi.advanceTimersByTimeAsync(250);
    expect(after).toEqual([null, 7]);
  });

  it('makes no further attempt once it is stopped', async () => {
    const { sinks, stop, fail } = attempts();
    fail();
    stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sinks).toHaveLength(1);
  });
});
