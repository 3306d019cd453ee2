import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { COPIED_FRAME_BYTES, MAX_BUFFERED_BYTES } from '../tunables.ts';
import type { Encoding } from './message.ts';
import type { Sink } from './subscriber.ts';

/** Close code for clients that read too slowly. They reconnect and resume after their last cursor. */
const TOO_SLOW = { code: 1013, reason: 'Too slow: resume after your last cursor' } as const;

/** Encodes the part of a graphql-transport-ws `next` message that follows its id. */
const afterId: Encoding = (json) => Buffer.from(`,"type":"next","payload":${json}}`);

/**
 * Creates a sink that writes WebSocket frames to the connection below `ws`, so that all sockets share the payload
 * bytes. Safe because compression is off, so `ws` buffers nothing between its own frames.
 */
export function createSocketSink(deps: {
  socket: WebSocket;
  connection: Duplex;
  operationId: string;
  onCutOff: () => void;
}): Sink {
  const { socket, connection, operationId, onCutOff } = deps;
  const head = Buffer.from(`{"id":${JSON.stringify(operationId)}`);

  const cutOff = () => cutOffSocket(socket, onCutOff);

  return {
    send(message) {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) return cutOff();
      writeTextFrame(connection, head, message.encode(afterId));
    },
    cutOff,
  };
}

export function cutOffSocket(socket: WebSocket, onCutOff: () => void): void {
  if (socket.readyState !== socket.OPEN) return;
  onCutOff();
  socket.close(TOO_SLOW.code, TOO_SLOW.reason);
}

/** Writes one unfragmented, unmasked text frame with the payload `head` + `tail`. */
function writeTextFrame(connection: Duplex, head: Buffer, tail: Buffer): void {
  const length = head.length + tail.length;
  const offset = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const copied = connection.writableLength === 0 && length <= COPIED_FRAME_BYTES;
  const frame = Buffer.allocUnsafe(offset + head.length + (copied ? tail.length : 0));
  frame[0] = 0x81;
  if (offset === 2) frame[1] = length;
  else if (offset === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  head.copy(frame, offset);
  if (copied) {
    tail.copy(frame, offset + head.length);
    connection.write(frame);
    return;
  }
  // Two writes instead of a copy, so that buffered frames share the payload bytes.
  connection.cork();
  connection.write(frame);
  connection.write(tail);
  connection.uncork();
}
