import { deserializeMessage, type JSONRPCMessage } from '@modelcontextprotocol/client';

const NEWLINE = 10;

export interface MessageHandlers {
  onMessage(message: JSONRPCMessage): void;
  /** A line that is no message, such as a stray print: the next one may be. */
  onNoise(error: Error): void;
}

/**
 * Cuts a stream of bytes into messages, one a line. Unlike the SDK's buffer it looks at each byte once, so that a large
 * result costs no time beyond its size. `push` returns false when a line has grown beyond `maxBytes`; it is dropped then.
 */
export function createMessageBuffer(
  maxBytes: number,
  handlers: MessageHandlers,
): { push(chunk: Buffer): boolean } {
  let parts: Buffer[] = [];
  let bytes = 0;

  const take = (part: Buffer): boolean => {
    parts.push(part);
    bytes += part.length;
    return bytes <= maxBytes;
  };
  const flush = () => {
    const line = Buffer.concat(parts).toString();
    parts = [];
    bytes = 0;
    try {
      handlers.onMessage(deserializeMessage(line));
    } catch (error) {
      handlers.onNoise(error instanceof Error ? error : new Error(String(error)));
    }
  };

  return {
    push(chunk) {
      let start = 0;
      for (;;) {
        const end = chunk.indexOf(NEWLINE, start);
        const fits = take(chunk.subarray(start, end < 0 ? chunk.length : end));
        if (!fits) {
          parts = [];
          bytes = 0;
          return false;
        }
        if (end < 0) return true;
        flush();
        start = end + 1;
      }
    },
  };
}
