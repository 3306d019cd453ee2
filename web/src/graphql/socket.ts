import { type Client, createClient } from 'graphql-ws';

/** `idle`: no subscription; `waiting`: connection lost, pause before the next attempt. */
export type ConnectionState = 'idle' | 'connecting' | 'connected' | 'waiting';

/** The page's only WebSocket to the API and its state. */
export interface Socket {
  readonly client: Client;
  readonly state: () => ConnectionState;
  /** Adds a listener for state changes. Returns a function that removes the listener. */
  readonly onState: (listener: () => void) => () => void;
}

// Pauses between attempts (ms). The first pauses are short to hide a server restart; the maximum limits the
// delay after an outage.
const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 5_000;
// A silently dropped connection is detected within 15 s: one ping interval and the wait for the pong.
const PING_EVERY_MS = 10_000;
const PONG_WITHIN_MS = 5_000;
// Time (ms) that the connection stays open without subscriptions, as during a change of pages.
const KEEP_IDLE_MS = 5_000;
const NORMAL_CLOSURE = 1_000;

interface SocketOptions {
  readonly eager?: boolean;
  readonly onLost?: () => void;
}

/**
 * Creates a socket that reconnects after network failures and restarts, without limit. graphql-ws does not reconnect
 * after a close code for a fault, such as 4500. The socket opens with the first subscription; with `eager` it opens at
 * once and stays open, so that every page knows if the server is reachable.
 */
export function createSocket(url: string, { eager = false, onLost }: SocketOptions = {}): Socket {
  const listeners = new Set<() => void>();
  let state: ConnectionState = 'idle';
  let pongTimer: ReturnType<typeof setTimeout> | undefined;
  const setState = (next: ConnectionState): void => {
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
      connecting: () => setState('connecting'),
      connected: () => setState('connected'),
      closed: (event) => {
        clearTimeout(pongTimer);
        if ((event as { code?: number }).code === NORMAL_CLOSURE) return setState('idle');
        setState('waiting');
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
 * Waits before attempt `retries` + 1, exponentially and with jitter, so that many pages do not reconnect at once. Ends
 * early when the browser comes online or `signal` aborts.
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

/** Returns the WebSocket address of the API on the page's own origin. */
export function socketUrl(location: Location): string {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`;
}
