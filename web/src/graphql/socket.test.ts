import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL as PROTOCOL } from 'graphql-ws';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { createSocket } from './socket.ts';

it.each([1009, 4500, 4400, 4401])(
  'opens again after close code %i, which counts as a failure',
  async (code) => {
    const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => PROTOCOL });
    await once(sockets, 'listening');
    let connections = 0;
    sockets.on('connection', (connection) => {
      connections += 1;
      if (connections < 3) connection.close(code);
      else connection.once('message', () => connection.send(JSON.stringify({ type: 'connection_ack' })));
    });
    const failures: number[] = [];
    const url = `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}/graphql`;
    const socket = createSocket(url, {
      eager: true,
      onLost: (count) => failures.push(count),
      pause: async () => {},
    });
    await expect.poll(() => socket.state()).toBe('connected');
    expect([connections, failures]).toEqual([3, [1, 2]]);
    await socket.client.dispose();
    sockets.close();
  },
);

it('counts the failures in a row since its last stable connection', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => PROTOCOL });
  await once(sockets, 'listening');
  let refusals = 0;
  sockets.on('connection', (connection) => {
    refusals -= 1;
    if (refusals >= 0) connection.terminate();
    else connection.once('message', () => connection.send(JSON.stringify({ type: 'connection_ack' })));
  });
  const failures: number[] = [];
  const url = `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}/graphql`;
  const socket = createSocket(url, {
    eager: true,
    onLost: (count) => failures.push(count),
    pause: async () => {},
  });
  await expect.poll(() => socket.state()).toBe('connected');
  vi.advanceTimersByTime(10_000);
  refusals = 2;
  for (const client of sockets.clients) client.terminate();
  await expect.poll(() => [socket.state(), failures]).toEqual(['connected', [0, 1, 2]]);
  await socket.client.dispose();
  sockets.close();
  vi.useRealTimers();
});

describe('a connection', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** Waits in real time, because the test controls the timers. */
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await new Promise(setImmediate);
  };

  /** Opens a socket to a server that answers pings while `answers.pings`. Returns the number of received pings. */
  async function open(answers: { pings: boolean }) {
    const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => PROTOCOL });
    await once(sockets, 'listening');
    const received = { pings: 0 };
    sockets.on('connection', (connection) =>
      connection.on('message', (data) => {
        const { type } = JSON.parse(String(data));
        if (type === 'connection_init') connection.send(JSON.stringify({ type: 'connection_ack' }));
        if (type !== 'ping') return;
        received.pings += 1;
        if (answers.pings) connection.send(JSON.stringify({ type: 'pong' }));
      }),
    );
    const url = `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}/graphql`;
    const socket = createSocket(url, { eager: true });
    await until(() => socket.state() === 'connected');
    const close = (): void => {
      void socket.client.dispose(); // a socket that waits for its next attempt never ends
      sockets.close();
    };
    return { socket, received, close };
  }

  it('stays open while the server answers its pings', async () => {
    const { socket, received, close } = await open({ pings: true });
    for (const count of [1, 2, 3]) {
      vi.advanceTimersByTime(10_000);
      await until(() => received.pings === count);
      for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate); // the answer arrives
    }
    expect(socket.state()).toBe('connected');
    close();
  });

  it('counts as lost 15 s after the server fell silent', async () => {
    const { socket, received, close } = await open({ pings: false });
    vi.advanceTimersByTime(10_000);
    await until(() => received.pings === 1);
    vi.advanceTimersByTime(4_999);
    expect(socket.state()).toBe('connected');
    vi.advanceTimersByTime(1);
    await until(() => socket.state() === 'waiting');
    close();
  });

  it('is given up when a proxy does not answer the handshake for 5 s', async () => {
    const proxy = createServer().listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const socket = createSocket(`ws://127.0.0.1:${(proxy.address() as AddressInfo).port}/graphql`, {
      eager: true,
    });
    await once(proxy, 'connection');
    expect(socket.state()).toBe('connecting');
    vi.advanceTimersByTime(5_000);
    await until(() => socket.state() === 'waiting');
    void socket.client.dispose();
    proxy.close();
  });
});
