import { type Client, createClient } from 'graphql-ws';
import { SUB_PATH } from '../lib/sub-path.ts';

/** `idle`: no subscription; `waiting`: connection lost, pause before the next attempt. */
export type ConnectionState = 'idle' | 'connecting' | 'connected' | 'waiting';

/** A WebSocket to the API and its state. */
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
const ABNORMAL_CLOSURE = 1_006;
// Time (ms) for the handshake, because some proxies never answer it.
const OPEN_WITHIN_MS = 5_000;
// Time (ms) after which a connection counts as stable. The loss of an unstable one is a failure.
export const STABLE_AFTER_MS = 10_000;

interface SocketOptions {
  readonly eager?: boolean;
  /** Called when a connection or an attempt is lost, with the number of failures in a row. */
  readonly onLost?: (failures: number) => void;
  /** Waits before the next attempt. */
  readonly pause?: (failures: number) => Promise<void>;
}

/**
 * Creates a socket that reconnects after every close code but 1000, without limit. The socket opens with the first
 * subscription; with `eager` it opens at once and stays open, so that every page knows if the server is reachable.
 */
export function createSocket(
  url: string,
  { eager = false, onLost, pause = retryPause }: SocketOptions = {},
): Socket {
  const listeners = new Set<() => void>();
  let state: ConnectionState = 'idle';
  let deadline: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let connectedAt = Number.POSITIVE_INFINITY;
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
    retryWait: () => pause(failures),
    on: {
      connecting: () => {
        setState('connecting');
        deadline = setTimeout(() => client.terminate(), OPEN_WITHIN_MS);
      },
      connected: () => {
        clearTimeout(deadline);
        connectedAt = performance.now();
        setState('connected');
      },
      closed: (event) => {
        clearTimeout(deadline);
        const isStable = performance.now() - connectedAt >= STABLE_AFTER_MS;
        failures = isStable ? 0 : failures + 1;
        connectedAt = Number.POSITIVE_INFINITY;
        if ((event as { code?: number }).code === NORMAL_CLOSURE) return setState('idle');
        makeRetryable(event as object);
        setState('waiting');
        onLost?.(failures);
      },
      ping: (received) => {
        if (!received) deadline = setTimeout(() => client.terminate(), PONG_WITHIN_MS);
      },
      pong: (received) => {
        if (received) clearTimeout(deadline);
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

/** Changes the close code, because graphql-ws never reconnects after some, such as 1009 and 4500. */
function makeRetryable(event: object): void {
  Object.defineProperty(event, 'code', { value: ABNORMAL_CLOSURE });
}

/** Waits before attempt `retries` + 1, exponentially and with jitter, so that many pages do not reconnect at once. */
export function retryPause(retries: number, signal?: AbortSignal): Promise<void> {
  const full = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** retries);
  return pauseFor(full / 2 + Math.random() * (full / 2), signal);
}

/** Waits `ms`. Ends early when the browser comes online or `signal` aborts. */
export async function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = (): void => resolve();
  const timer = setTimeout(over, ms);
  globalThis.addEventListener?.('online', over);
  signal?.addEventListener('abort', over);
  await promise;
  clearTimeout(timer);
  globalThis.removeEventListener?.('online', over);
  signal?.removeEventListener('abort', over);
}

/** Returns the WebSocket address of the API on the page's own origin. */
export function socketUrl(location: Location): string {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${SUB_PATH}/graphql`;
}
