import { type Client, createClient } from 'graphql-ws';

/** `idle`: nothing is subscribed to; `waiting`: the pause before the next attempt. */
export type ConnectionState = 'idle' | 'connecting' | 'connected' | 'waiting';

/** One WebSocket to the API for the whole page, and what state it is in. */
export interface Socket {
  readonly client: Client;
  readonly state: () => ConnectionState;
  /** Calls back on every change of state; returns the way to stop. */
  readonly onState: (listener: () => void) => () => void;
}

// Quick first attempts mend a restarted server unnoticed; 5 s at most keeps a long outage short once it ends.
const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 5_000;
// A connection that a proxy or a sleeping laptop dropped silently is noticed within 15 s.
const PING_EVERY_MS = 10_000;
const PONG_WITHIN_MS = 5_000;
// Going from one page to the next must not cost a new connection.
const KEEP_IDLE_MS = 5_000;
const NORMAL_CLOSURE = 1_000;

interface SocketOptions {
  readonly eager?: boolean;
  /** Called each time a connection was lost, or could not be made. */
  readonly onLost?: () => void;
}

/**
 * A socket that retries for ever. It opens with the first subscription, or at once and for good when `eager`: a page
 * that subscribes to nothing knows then, too, whether its server is there.
 */
export function createSocket(url: string, { eager = false, onLost }: SocketOptions = {}): Socket {
  const listeners = new Set<() => void>();
  let state: ConnectionState = 'idle';
  let pongTimer: ReturnType<typeof setTimeout> | undefined;
  const become = (next: ConnectionState): void => {
    state = next;
    for (const listener of listeners) listener();
  };
  const client: Client = createClient({
    url,
    lazy: !eager,
    lazyCloseTimeout: KEEP_IDLE_MS,
    keepAlive: PING_EVERY_MS,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    retryWait: (retries) => retryPause(retries),
    on: {
      connecting: () => become('connecting'),
      connected: () => become('connected'),
      closed: (event) => {
        clearTimeout(pongTimer);
        if ((event as { code?: number }).code === NORMAL_CLOSURE) return become('idle');
        become('waiting');
        onLost?.();
      },
      ping: (received) => {
        if (!received) pongTimer = setTimeout(() => client.terminate(), PONG_WITHIN_MS);
      },
      pong: (received) => {
        if (received) clearTimeout(pongTimer);
      },
    },
  });
  return {
    client,
    state: () => state,
    onState: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * The pause before attempt `retries` + 1: exponential, with jitter so that the pages of a whole team do not
 * come back in one moment; over at once when the browser comes online again or `signal` aborts.
 */
export async function retryPause(retries: number, signal?: AbortSignal): Promise<void> {
  const full = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** retries);
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = (): void => resolve();
  const timer = setTimeout(over, full / 2 + Math.random() * (full / 2));
  globalThis.addEventListener?.('online', over);
  signal?.addEventListener('abort', over);
  await promise;
  clearTimeout(timer);
  globalThis.removeEventListener?.('online', over);
  signal?.removeEventListener('abort', over);
}

/** The WebSocket address of the GraphQL endpoint on the page's own origin. */
export function socketUrl(location: Location): string {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`;
}
