import { deserializeMessage, type JSONRPCMessage } from '@modelcontextprotocol/client';

const NEWLINE = 10;

export interface MessageHandlers {
  onMessage(message: JSONRPCMessage): void;
  /** Called for a line that is no message, such as a stray print. */
  onNoise(error: Error): void;
}

/**
 * Splits a byte stream into messages, one per line, in linear time, unlike the SDK's buffer.
 * `push` drops a line longer than `maxBytes` and returns false.
 */
export function createMessageBuffer(
  maxBytes: number,
  handlers: MessageHandlers,
): { push(chunk: Buffer): boolean } {
  let parts: Buffer[] = [];
  let bytes = 0;

  const reset = () => {
    parts = [];
    bytes = 0;
  };
  const flush = () => {
    const line = Buffer.concat(parts).toString();
    reset();
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
        const part = chunk.subarray(start, end < 0 ? chunk.length : end);
        parts.push(part);
        bytes += part.length;
        if (bytes > maxBytes) {
          reset();
          return false;
        }
        if (end < 0) return true;
        flush();
        start = end + 1;
      }
    },
  };
}
