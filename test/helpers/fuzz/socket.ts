import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { oddRequest } from './documents.ts';
import type { Outcome } from './http.ts';
import { mangled, oddText, oddValue, type Random } from './random.ts';

const TYPES = [
  'subscribe',
  'subscribe',
  'subscribe',
  'complete',
  'ping',
  'pong',
  'connection_init',
  'connection_ack',
  'next',
  'error',
  '',
];
const PROTOCOLS = ['graphql-transport-ws', 'graphql-ws', 'x', ''];

/** Misbehaves on one WebSocket. The outcome holds the close code and the received messages. */
export async function misuseSocket(random: Random, port: number, ids: readonly string[]): Promise<Outcome> {
  if (random.once(8)) return breakFrames(random, port);
  const protocol = random.once(20) ? random.pick(PROTOCOLS) : 'graphql-transport-ws';
  const headers = random.once(10)
    ? { origin: `http://${random.pick(['evil.example', 'localhost', '%'])}` }
    : {};
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, protocol || undefined, { headers });
  const told: string[] = [];
  let status: number | null = null;
  socket.on('message', (data) => told.push(String(data)));
  socket.on('error', () => {}); // the server refused or cut the connection: `close` follows
  socket.on('unexpected-response', (sent, response) => {
    status = response.statusCode ?? null;
    sent.destroy();
    socket.terminate();
  });
  const messages = oddMessages(random, ids);
  socket.on('open', () => {
    for (const message of messages) socket.send(message, { binary: random.once(15) });
    // The pong arrives after the answers to earlier messages. A server that has closed the connection sends
    // no pong.
    socket.ping();
    socket.once('pong', () => (random.once(3) ? socket.terminate() : socket.close(1000)));
  });
  const code = await new Promise<number>((resolve) => socket.once('close', resolve));
  return {
    what: `websocket ${messages.join('\n').slice(0, 4000)}`,
    status: status ?? codeStatus(code),
    body: told.join('\n'),
  };
}

/** Returns status 500 for close codes that report a server failure (1011 and 4500); `null` for others. */
function codeStatus(code: number): number | null {
  return code === 1011 || code === 4500 ? 500 : null;
}

function oddMessages(random: Random, ids: readonly string[]): string[] {
  const greeting = random.once(10)
    ? []
    : [JSON.stringify({ type: 'connection_init', payload: random.once(5) ? oddValue(random) : undefined })];
  const rest = random.list(6, () => {
    const message = {
      id: random.pick(['1', '2', '', 1]),
      type: random.pick(TYPES),
      payload: oddRequest(random, ids),
    };
    if (random.once(15)) return oddText(random);
    const text = JSON.stringify(random.once(15) ? oddValue(random) : message);
    return random.once(8) ? mangled(random, text) : text;
  });
  return [...greeting, ...rest];
}

const HANDSHAKE = [
  'GET /graphql HTTP/1.1',
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol: graphql-transport-ws',
].join('\r\n');

/** Sends frames that violate the protocol: unmasked, reserved opcodes, wrong length, truncated. */
async function breakFrames(random: Random, port: number): Promise<Outcome> {
  const socket = connect(port, '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  socket.on('error', () => {}); // the server may reset the connection
  const frame = Buffer.from([random.int(256), random.int(256), ...random.list(20, () => random.int(256))]);
  socket.write(`${HANDSHAKE}\r\n\r\n`);
  socket.end(frame);
  await new Promise((resolve) => socket.once('close', resolve));
  const body = Buffer.concat(parts).toString('latin1');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(body)?.[1] ?? 0) || null;
  return { what: `frame ${frame.toString('hex')}`, status, body };
}
