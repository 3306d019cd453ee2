import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/client';
import { type AwaitedRequests, repairMessage } from './wire-message.ts';

const NEWLINE = 10;
/** Members of an answer. A line without a version that has others is a log, which may name an error or an id too. */
const ANSWER: ReadonlySet<string> = new Set(['id', 'result', 'error']);

export interface MessageHandlers {
  /** Returns the requests that wait for an answer, to recognise imperfect answers. */
  awaited(): AwaitedRequests;
  onMessage(message: JSONRPCMessage): void;
  /** Called for a line that is no message, such as a stray print. */
  onNoise(error: Error, line: string): void;
}

/**
 * Splits a byte stream into messages, one or a batch per line, in linear time, unlike the SDK's buffer.
 * `push` drops a line longer than `maxBytes` and returns false.
 */
export function createMessageBuffer(
  maxBytes: number,
  { awaited, onMessage, onNoise }: MessageHandlers,
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
      const written: unknown = JSON.parse(line);
      const repaired = isLog(written) ? written : repairMessage(written, awaited());
      for (const message of [repaired].flat()) onMessage(parseJSONRPCMessage(message));
    } catch (error) {
      onNoise(error instanceof Error ? error : new Error(String(error)), line);
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

function isLog(written: unknown): boolean {
  if (typeof written !== 'object' || written === null || Array.isArray(written)) return false;
  return !('jsonrpc' in written) && Object.keys(written).some((name) => !ANSWER.has(name));
}
