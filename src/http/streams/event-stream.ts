import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ExecutionResult } from 'graphql';
import type { UnreadBytes } from '../answers/unread-bytes.ts';
import { isTemporary } from '../errors.ts';
import { KEEP_ALIVE_MS, MAX_BUFFERED_BYTES, SSE_RETRY_MS } from '../tunables.ts';
import type { Encoding } from './message.ts';
import type { Sink } from './subscriber.ts';

export interface EventStreamDeps {
  stopping: AbortSignal;
  onCutOff: () => void;
  unread: UnreadBytes;
}

export interface EventStream {
  sink: Sink;
  /**
   * Returns the response body. Results are sent as fast as the client reads them; messages for `sink` are sent at once.
   */
  body(results: AsyncIterable<ExecutionResult>): Readable;
}

export function createEventStream(res: ServerResponse, deps: EventStreamDeps): EventStream {
  const { stopping, onCutOff } = deps;
  let open: Readable | null = null;
  const waiting = () => (open?.readableLength ?? 0) + res.writableLength;

  function cutOff(): void {
    if (res.destroyed) return;
    onCutOff();
    res.destroy(); // SSE has no close code; a returning client sends its last cursor
  }

  return {
    sink: {
      send(message) {
        if (open === null || open.destroyed) return;
        if (waiting() > MAX_BUFFERED_BYTES) return cutOff();
        open.push(message.encode(serverSentEvent));
      },
      cutOff,
    },
    body(results) {
      const iterator = results[Symbol.asyncIterator]();
      const stream = readResults(iterator, res, { ...deps, cutOff });
      const ping = setInterval(() => waiting() === 0 && stream.push(':\n\n'), KEEP_ALIVE_MS);
      const stop = () => void iterator.return?.();
      stopping.addEventListener('abort', stop);
      stream.once('close', () => {
        clearInterval(ping);
        stopping.removeEventListener('abort', stop);
        stop();
      });
      if (res.closed) stream.destroy();
      else res.once('close', () => stream.destroy());
      open = stream;
      return stream;
    },
  };
}

/** Encodes the results as events. The next result is requested once the client has read the previous one. */
function readResults(
  iterator: AsyncIterator<ExecutionResult>,
  res: ServerResponse,
  { stopping, unread, cutOff }: Pick<EventStreamDeps, 'stopping' | 'unread'> & { cutOff: () => void },
): Readable {
  let asked = false;
  let read = () => {};
  const stream = new Readable({
    read() {
      if (!asked) void ask();
    },
  });
  stream.once('close', () => read());
  async function ask(): Promise<void> {
    asked = true;
    read();
    try {
      const { done, value } = await iterator.next();
      asked = false;
      if (!done && isTemporaryFailure(value)) return void res.destroy();
      if (!done) {
        const bytes = serverSentEvent(JSON.stringify(value), value);
        read = unread.add(bytes.length, cutOff);
        return void stream.push(bytes);
      }
      if (!stopping.aborted) stream.push('event: complete\ndata:\n\n');
      stream.push(null);
    } catch {
      res.destroy(); // failures arrive as results, so a rejection means that the stream is broken
    }
  }
  // Sent first, because some browsers report an open stream only after its first byte.
  stream.push(`retry: ${SSE_RETRY_MS}\n\n`);
  return stream;
}

/** True for a temporary failure. The stream is then cut without `complete`, so that the client reconnects. */
function isTemporaryFailure({ data, errors }: ExecutionResult): boolean {
  return data === undefined && isTemporary(errors?.[0]?.extensions.code);
}

const serverSentEvent: Encoding = (json, result) => {
  const cursor = cursorOf(result);
  return Buffer.from(`${cursor === null ? '' : `id: ${cursor}\n`}event: next\ndata: ${json}\n\n`);
};

function cursorOf({ data }: ExecutionResult): string | null {
  const [field] = Object.values(data ?? {});
  const cursor = typeof field === 'object' && field !== null && 'cursor' in field ? field.cursor : null;
  // Checks the form, because clients can alias any field to `cursor` and other text could break the framing.
  return typeof cursor === 'string' && /^[\w-]+$/.test(cursor) ? cursor : null;
}
