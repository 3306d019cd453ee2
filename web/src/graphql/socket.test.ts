import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL as PROTOCOL } from 'graphql-ws';
import { expect, it } from 'vitest';
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
