import type { Client, ExecutionResult } from 'graphql-ws';
import { retryPause } from './socket.ts';

export interface DurableRequest<Variables> {
  readonly query: string;
  /** A variable `after` is set to the `cursor` of each received value, so that a reconnection resumes after it. */
  readonly variables: Variables;
}

export interface DurableSink<Data> {
  readonly next: (result: ExecutionResult<Data>) => void;
  /** Called with the reason if the subscription ends, because retrying cannot help. */
  readonly refused: (message: string) => void;
}

// Error codes after which retrying cannot help. After any other code, such as the one for a slow subscriber,
// the page retries.
const FINAL_CODES: ReadonlySet<unknown> = new Set([
  'NOT_FOUND',
  'VALIDATION',
  'GRAPHQL_VALIDATION_FAILED',
  'GRAPHQL_PARSE_FAILED',
  'BAD_USER_INPUT',
]);

/**
 * Subscribes, and again after a lost socket, a server shutdown (which completes the subscription) or a transient error.
 * Returns a function that unsubscribes.
 */
export function subscribeDurably<Data extends object, Variables extends Record<string, unknown>>(
  client: Pick<Client, 'subscribe'>,
  request: DurableRequest<Variables>,
  sink: DurableSink<Data>,
): () => void {
  const stopped = new AbortController();
  let unsubscribe = (): void => undefined;
  let failures = 0;
  // graphql-ws resends the payload after a reconnection; the getter supplies the current variables.
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

/** Returns the cursor of the subscription's single field; undefined if there is none. */
function cursorOf(data: object | null | undefined): unknown {
  const [feed] = Object.values(data ?? {}) as ({ cursor?: unknown } | null)[];
  return feed?.cursor ?? undefined;
}

function finalMessage(error: unknown): string | null {
  if (!Array.isArray(error)) return null;
  const errors = error as readonly { message: string; extensions?: { code?: unknown } }[];
  return errors.find((e) => FINAL_CODES.has(e.extensions?.code))?.message ?? null;
}
