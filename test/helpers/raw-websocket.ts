import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** A received frame, which is a whole message or a part of one. */
interface Frame {
  opcode: number;
  payload: Buffer;
}

export const TEXT = 1;
export const PING = 9;
export const PONG = 10;
const CLOSE = 8;

/** A WebSocket without a library. Sends invalid frames and exposes every received frame. */
export interface RawWebSocket {
  socket: Socket;
  /** Status line and headers of the answer to the upgrade. */
  head: string;
  /** Sends a message in one masked text frame. */
  send(message: unknown): void;
  sendFrame(opcode: number, payload: Buffer | string, options?: FrameOptions): void;
  /** Resolves with the next frame that is not a close. Rejects if the connection ends first. */
  frame(): Promise<Frame>;
  /** Resolves with the next message. */
  message(): Promise<Record<string, unknown>>;
  /** Code and reason of the server's close frame; `null` if the connection ends without one. */
  closed: Promise<{ code: number; reason: string } | null>;
}

interface FrameOptions {
  final?: boolean;
  masked?: boolean;
  /** The three reserved bits of the header, as a number from 0 to 7. */
  reserved?: number;
}

/** @param options.protocol `null` if the client names none */
export async function openRaw(
  port: number,
  options: { protocol?: string | null; headers?: Record<string, string> } = {},
): Promise<RawWebSocket> {
  const { protocol = 'graphql-transport-ws', headers = {} } = options;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}); // the server may cut a connection that misbehaves
  const lines = [
    'GET /graphql HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    ...(protocol === null ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const reader = readFrames(socket);
  const sendFrame = (opcode: number, payload: Buffer | string, more: FrameOptions = {}) =>
    void socket.write(encode(opcode, Buffer.from(payload), more));
  const frame = async () => {
    const next = await reader.next();
    if (next === null) throw new Error('the connection ended');
    return next;
  };
  return {
    socket,
    head: await reader.head,
    send: (message) => sendFrame(TEXT, typeof message === 'string' ? message : JSON.stringify(message)),
    sendFrame,
    frame,
    message: async () => JSON.parse((await frame()).payload.toString()),
    closed: reader.closed,
  };
}

function encode(opcode: number, payload: Buffer, options: FrameOptions): Buffer {
  const { final = true, masked = true, reserved = 0 } = options;
  const size = payload.length < 126 ? 0 : payload.length < 65_536 ? 2 : 8;
  const start = Buffer.alloc(2 + size);
  start[0] = (final ? 0x80 : 0) | (reserved << 4) | opcode;
  start[1] = (masked ? 0x80 : 0) | (size === 0 ? payload.length : size === 2 ? 126 : 127);
  if (size === 2) start.writeUInt16BE(payload.length, 2);
  if (size === 8) start.writeBigUInt64BE(BigInt(payload.length), 2);
  if (!masked) return Buffer.concat([start, payload]);
  const mask = randomBytes(4);
  const hidden = Buffer.from(payload.map((byte, index) => byte ^ mask[index % 4]!));
  return Buffer.concat([start, mask, hidden]);
}

function readFrames(socket: Socket) {
  let bytes = Buffer.alloc(0);
  let upgraded = false;
  const frames: Frame[] = [];
  const waiting: ((frame: Frame | null) => void)[] = [];
  const head = Promise.withResolvers<string>();
  const closed = Promise.withResolvers<{ code: number; reason: string } | null>();

  function take(frame: Frame): void {
    if (frame.opcode === CLOSE) {
      const code = frame.payload.length < 2 ? 1005 : frame.payload.readUInt16BE(0);
      closed.resolve({ code, reason: frame.payload.subarray(2).toString() });
      return;
    }
    const next = waiting.shift();
    if (next) next(frame);
    else frames.push(frame);
  }

  socket.on('data', (data) => {
    bytes = Buffer.concat([bytes, data]);
    if (!upgraded) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      head.resolve(bytes.subarray(0, end).toString());
      bytes = bytes.subarray(end + 4);
      upgraded = true;
    }
    for (let found = decode(bytes); found; found = decode(bytes)) {
      bytes = bytes.subarray(found.length);
      take(found);
    }
  });
  socket.on('close', () => {
    head.resolve('');
    closed.resolve(null);
    for (const next of waiting) next(null);
  });
  return {
    head: head.promise,
    closed: closed.promise,
    next(): Promise<Frame | null> {
      const frame = frames.shift();
      if (frame || socket.closed) return Promise.resolve(frame ?? null);
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

/** Decodes the first frame with its total length. `null` if the bytes are incomplete. */
function decode(bytes: Buffer): (Frame & { length: number }) | null {
  if (bytes.length < 2) return null;
  const short = bytes[1]! & 0x7f;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < start) return null;
  const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < start + size) return null;
  return { opcode: bytes[0]! & 0x0f, payload: bytes.subarray(start, start + size), length: start + size };
}
