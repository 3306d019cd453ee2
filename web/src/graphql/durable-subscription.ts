import type { Client, ExecutionResult } from 'graphql-ws';
import { retryPause } from './socket.ts';

export interface DurableRequest<Variables> {
  readonly query: string;
  /** One that is called `after` moves on with the `cursor` of what comes: each (re)connection goes on after the newest. */
  readonly variables: Variables;
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
  let variables: Record<string, unknown> = request.variables;
  const payload = {
    query: request.query,
    get variables() {
      return variables;
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
        const cursor = 'after' in variables ? cursorOf(result.data) : undefined;
        if (cursor !== undefined) variables = { ...variables, after: cursor };
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

/** Of the one feed that a subscription asks for, where it tells one. */
function cursorOf(data: object | null | undefined): unknown {
  const [feed] = Object.values(data ?? {}) as ({ cursor?: unknown } | null)[];
  return feed?.cursor ?? undefined;
}

function finalMessage(error: unknown): string | null {
  if (!Array.isArray(error)) return null;
  const errors = error as readonly { message: string; extensions?: { code?: unknown } }[];
  return errors.find((e) => FINAL_CODES.has(e.extensions?.code))?.message ?? null;
}
