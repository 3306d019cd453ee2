import type { Client, ExecutionResult } from 'graphql-ws';
import { retryPause } from './socket.ts';

/** What to subscribe to. `variables` is asked anew for each (re)connection: that is where a cursor goes in. */
export interface DurableRequest<Variables> {
  readonly query: string;
  readonly variables: () => Variables;
}

export interface DurableSink<Data> {
  readonly next: (result: ExecutionResult<Data>) => void;
  /** The server says that asking again is of no use. Nothing follows. */
  readonly refused: (message: string) => void;
}

// Asking again brings the same answer. Everything else, a slow subscriber being cut off included, is worth a retry.
const FINAL_CODES: ReadonlySet<unknown> = new Set([
  'NOT_FOUND',
  'VALIDATION',
  'GRAPHQL_VALIDATION_FAILED',
  'GRAPHQL_PARSE_FAILED',
  'BAD_USER_INPUT',
]);

/**
 * A subscription that outlives its connection: it is made again after a lost socket, a server that shuts down
 * (completes it) and an error that is not final. Returns the way to stop.
 */
export function subscribeDurably<Data extends object, Variables extends Record<string, unknown>>(
  client: Client,
  request: DurableRequest<Variables>,
  sink: DurableSink<Data>,
): () => void {
  const stopped = new AbortController();
  let unsubscribe = (): void => undefined;
  let failures = 0;
  // graphql-ws sends its payload again by itself after a reconnection; the getter makes it a fresh one each time.
  const payload = {
    query: request.query,
    get variables() {
      return request.variables();
    },
  };
  const again = async (): Promise<void> => {
    await retryPause(failures, stopped.signal);
    failures += 1;
    if (!stopped.signal.aborted) start();
  };
  const start = (): void => {
    unsubscribe = client.subscribe<Data>(payload, {
      next: (result) => {
        failures = 0;
        if (!stopped.signal.aborted) sink.next(result as ExecutionResult<Data>);
      },
      error: (error) => {
        const message = finalMessage(error);
        if (message === null) void again();
        else sink.refused(message);
      },
      complete: () => {
        if (!stopped.signal.aborted) void again();
      },
    });
  };
  start();
  return () => {
    stopped.abort();
    unsubscribe();
  };
}

function finalMessage(error: unknown): string | null {
  if (!Array.isArray(error)) return null;
  const errors = error as readonly { message: string; extensions?: { code?: unknown } }[];
  return errors.find((e) => FINAL_CODES.has(e.extensions?.code))?.message ?? null;
}
