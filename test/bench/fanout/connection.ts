import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** Read buffer that all connections share, because each read is processed before the next one. */
const READ = Buffer.alloc(64 * 1024);
const NO_BYTES = Buffer.alloc(0);

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

export interface Connection {
  send(text: string): void;
  destroy(): void;
}

/**
 * Opens a WebSocket client with minimal cost, because thousands share the machine with the measured server
 * and must not slow it. Supports only what the measured servers send: whole text frames, pings and a close.
 */
export function openConnection(options: {
  port: number;
  /** Headers of the upgrade request, as a proxy would set them. */
  headers?: Record<string, string>;
  onOpen(connection: Connection): void;
  /** Called for each text frame. The bytes are valid only until the callback returns. */
  onText(bytes: Buffer): void;
  /** Called with the server's close code, or 1006 without one. */
  onClose(code: number): void;
}): Connection {
  let rest: Buffer = NO_BYTES;
  let isOpen = false;
  let isGone = false;

  function take(bytes: Buffer): void {
    let unread = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    if (!isOpen) unread = takeHandshake(unread);
    for (let frame = frameAt(unread); isOpen && frame !== null; frame = frameAt(unread)) {
      takeFrame(frame.opcode, unread.subarray(frame.start, frame.end));
      unread = unread.subarray(frame.end);
    }
    rest = unread.length === 0 ? NO_BYTES : Buffer.from(unread);
  }

  function takeHandshake(bytes: Buffer): Buffer {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return bytes;
    const status = bytes.subarray(0, bytes.indexOf('\r\n')).toString();
    if (!status.includes(' 101 ')) throw new Error(`no WebSocket: ${status}`);
    isOpen = true;
    options.onOpen(connection);
    return bytes.subarray(end + 4);
  }

  function takeFrame(opcode: number, payload: Buffer): void {
    if (opcode === TEXT) options.onText(payload);
    else if (opcode === PING) socket.write(frameOf(PONG, payload));
    else if (opcode === CLOSE) gone(payload.length < 2 ? 1006 : payload.readUInt16BE(0));
  }

  function gone(code: number): void {
    if (isGone) return;
    isGone = true;
    options.onClose(code);
  }

  const callback = (length: number, buffer: Uint8Array) => {
    take(Buffer.from(buffer.buffer, buffer.byteOffset, length));
    return true;
  };
  const socket: Socket = connect({
    port: options.port,
    host: '127.0.0.1',
    onread: { buffer: READ, callback },
  });
  socket.on('error', () => gone(1006));
  socket.on('close', () => gone(1006));
  const named = Object.entries(options.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `GET /graphql HTTP/1.1\r\nHost: 127.0.0.1:${options.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n` +
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n${named.join('')}\r\n`,
  );
  const connection: Connection = {
    send: (text) => void socket.write(frameOf(TEXT, Buffer.from(text))),
    destroy() {
      isGone = true;
      socket.destroy();
    },
  };
  return connection;
}

/** Returns the first frame, or `null` if it is incomplete. */
function frameAt(bytes: Buffer): { opcode: number; start: number; end: number } | null {
  if (bytes.length < 2) return null;
  const short = bytes[1]! & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) return null;
  const length =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (bytes.length < start + length) return null;
  if (bytes[0]! < 0x80) throw new Error('a frame in pieces');
  return { opcode: bytes[0]! & 0x0f, start, end: start + length };
}

/** Builds a client's frame, masked as the protocol requires. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const mask = randomBytes(4);
  const head =
    payload.length < 126 ? Buffer.from([0x80 | opcode, 0x80 | payload.length]) : longHead(opcode, payload);
  return Buffer.concat([head, mask, payload.map((byte, at) => byte ^ mask[at % 4]!)]);
}

function longHead(opcode: number, payload: Buffer): Buffer {
  const head = Buffer.from([0x80 | opcode, 0x80 | 126, 0, 0]);
  head.writeUInt16BE(payload.length, 2);
  return head;
}
