import type { Plugin } from 'graphql-yoga';
import { KEEP_ALIVE_MS, SSE_RETRY_MS } from './tunables.ts';

type ResultProcessor = NonNullable<
  Parameters<Parameters<NonNullable<Plugin['onResultProcess']>>[0]['setResultProcessor']>[0]
>;
interface SentResult {
  data?: Record<string, unknown> | null;
}

/**
 * Subscriptions as server-sent events, like yoga's own but for two things: a message carries its cursor as event id,
 * which a client sends back in `Last-Event-ID` when it reconnects, and a stream that ends because we stop ends
 * without `complete`, so that the client does reconnect.
 */
export function ssePlugin(stopping: AbortSignal): Plugin {
  return {
    onResultProcess({ request, result, setResultProcessor }) {
      const accept = request.headers.get('accept') ?? '*/*';
      if (/text\/event-stream|\*\/\*/.test(accept) && Symbol.asyncIterator in result) {
        setResultProcessor(streamResults(stopping), 'text/event-stream');
      }
    },
  };
}

function streamResults(stopping: AbortSignal): ResultProcessor {
  return (results, { ReadableStream, Response, TextEncoder }) => {
    const iterator = (results as AsyncIterable<SentResult>)[Symbol.asyncIterator]();
    const encoder = new TextEncoder();
    let release = () => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        // Sent at once: some browsers report an open stream only when its first byte is there.
        send(`retry: ${SSE_RETRY_MS}\n\n`);
        const ping = setInterval(() => (controller.desiredSize ?? 0) > 0 && send(':\n\n'), KEEP_ALIVE_MS);
        const stop = () => void iterator.return?.();
        stopping.addEventListener('abort', stop);
        release = () => {
          clearInterval(ping);
          stopping.removeEventListener('abort', stop);
        };
      },
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (!done) return controller.enqueue(encoder.encode(message(value)));
          release();
          if (!stopping.aborted) controller.enqueue(encoder.encode('event: complete\ndata:\n\n'));
          controller.close();
        } catch (error) {
          release();
          controller.error(error);
        }
      },
      async cancel() {
        release();
        await iterator.return?.();
      },
    });
    return new Response(body, {
      headers: {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-cache, no-transform',
        'X-Accel-Buffering': 'no', // nginx would hold events back
      },
    });
  };
}

function message(result: SentResult): string {
  const cursor = cursorOf(result);
  return `${cursor === null ? '' : `id: ${cursor}\n`}event: next\ndata: ${JSON.stringify(result)}\n\n`;
}

/** The cursor of an event, when the client selected it. */
function cursorOf({ data }: SentResult): string | null {
  const [field] = Object.values(data ?? {});
  const cursor = typeof field === 'object' && field !== null && 'cursor' in field ? field.cursor : null;
  // A client can give this name to any field; only what looks like a cursor may become part of the framing.
  return typeof cursor === 'string' && /^[\w-]+$/.test(cursor) ? cursor : null;
}
