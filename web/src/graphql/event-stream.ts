import type { Client, SubscribePayload } from 'graphql-ws';

/** Receives the results of a subscription. */
export type ResultSink = Parameters<Client['subscribe']>[1];
type Result = Parameters<ResultSink['next']>[0];

/** Longest silence (ms) of a stream before it counts as broken. The server sends a sign of life every 12 s. */
const SILENCE_MS = 30_000;

export interface EventStreamOptions {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  readonly payload: SubscribePayload;
  readonly sink: ResultSink;
  /** Called if the stream ends without an answer of the server, as after a lost connection. */
  readonly onBroken: () => void;
}

/** Subscribes over HTTP: the results arrive as server-sent events. Returns a function that unsubscribes. */
export function openEventStream({ onBroken, ...options }: EventStreamOptions): () => void {
  const stopped = new AbortController();
  const broken = (): void => {
    if (stopped.signal.aborted) return;
    stopped.abort(); // ends a request that is still unanswered
    onBroken();
  };
  readInto(options, stopped).then((isOver) => isOver || broken(), broken);
  return () => stopped.abort();
}

/** Returns true if the server ended the subscription, false if the stream ended without a reason. */
async function readInto(
  { url, fetch, payload, sink }: Omit<EventStreamOptions, 'onBroken'>,
  stopped: AbortController,
): Promise<boolean> {
  const { query, variables } = payload;
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const body = JSON.stringify({ query, variables });
  const { signal } = stopped;
  const response = await withinSilence(fetch(url, { method: 'POST', headers, body, signal }));
  if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream'))
    return isRefused(response, sink);
  for await (const { event, data } of eventsOf(response.body)) {
    if (signal.aborted) return true;
    if (event === 'complete') {
      sink.complete();
      return true;
    }
    const result = JSON.parse(data) as Result;
    if (result.errors && result.data == null) {
      sink.error(result.errors as never);
      return true;
    }
    sink.next(result);
  }
  return false;
}

/** Passes on the errors with which the API refused the request. Returns false if a retry may help. */
async function isRefused(response: Response, sink: ResultSink): Promise<boolean> {
  if (response.status >= 500 || response.status === 429) return false;
  const { errors } = (await response.json()) as Result;
  if (!errors) return false;
  sink.error(errors as never);
  return true;
}

/** Yields the named events of a stream. Ends when the stream ends. @throws Error if the stream is silent for too long */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<{ event: string; data: string }> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  try {
    for (let text = ''; ; ) {
      const { done, value } = await withinSilence(reader.read());
      if (done) return;
      const blocks = `${text}${value}`.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const event = /^event: (.*)$/m.exec(block)?.[1];
        if (event !== undefined) yield { event, data: /^data: (.*)$/m.exec(block)?.[1] ?? '' };
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** Waits for the server's next sign of life. @throws Error if it is silent for too long */
async function withinSilence<T>(read: Promise<T>): Promise<T> {
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(() => silence.reject(new Error('the stream is silent')), SILENCE_MS);
  try {
    return await Promise.race([read, silence.promise]);
  } finally {
    clearTimeout(timer);
  }
}
