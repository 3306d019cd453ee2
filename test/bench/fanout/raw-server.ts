import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { WebSocketServer } from 'ws';

/** A baseline server: each notification becomes one JSON text that is sent to every socket. */
const http = createServer();
const sockets = new WebSocketServer({ server: http, path: '/graphql' });
sockets.on('connection', (socket) => {
  socket.on('message', (data) => {
    if (String(data).includes('connection_init')) socket.send('{"type":"connection_ack"}');
    else socket.send('{"type":"next","payload":{"data":{"sessionEvents":{"__typename":"CaughtUp"}}}}');
  });
});
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
client.on('notification', ({ payload }) => {
  const { t, o, d } = JSON.parse(payload ?? '') as { t: string; o: number; d: string };
  const event = { __typename: 'StreamChunk', cursor: null, timelineEventId: t, offset: o, delta: d };
  const message = { id: 'operation-1000', type: 'next', payload: { data: { sessionEvents: event } } };
  const text = JSON.stringify(message);
  for (const socket of sockets.clients) socket.send(text);
});
await client.query('listen tarsy_chunk');
http.listen(0, '127.0.0.1', () => process.send!({ port: (http.address() as AddressInfo).port }));
