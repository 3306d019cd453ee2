import type { Client, SubscribePayload } from 'graphql-ws';
import { openEventStream, type ResultSink } from './event-stream.ts';
import type { SignIn } from './sign-in.ts';
import { type ConnectionState, createSocket, pauseFor, retryPause, STABLE_AFTER_MS } from './socket.ts';

export type Transport = 'websocket' | 'http';

/** The page's connection to the live events of the API, and its state. */
export interface LiveConnection {
  readonly state: () => ConnectionState;
  readonly transport: () => Transport;
  /** Adds a listener for changes of state or transport. Returns a function that removes the listener. */
  readonly onState: (listener: () => void) => () => void;
  readonly subscribe: Client['subscribe'];
}

/** Number of failures of the WebSocket in a row after which the events come over HTTP, if HTTP works. */
const MAX_SOCKET_FAILURES = 2;
/** Pause (ms) before the WebSocket is tried again while the events come over HTTP. */
const SOCKET_RETRY_MS = 5 * 60_000;

export interface LiveConnectionOptions {
  readonly socketUrl: string;
  readonly httpUrl: string;
  readonly signIn: SignIn;
}

interface Subscription {
  /** Starts or restarts the subscription over the current transport. */
  readonly start: () => void;
  readonly stop: () => void;
}

/**
 * Creates a connection that uses a WebSocket, or event streams over HTTP while no WebSocket gets through. Event streams
 * pause while the page is hidden, because browsers allow about six HTTP/1.1 connections to a server for all tabs.
 */
export function createLiveConnection({ socketUrl, httpUrl, signIn }: LiveConnectionOptions): LiveConnection {
  const listeners = new Set<() => void>();
  const subscriptions = new Set<Subscription>();
  let transport: Transport = 'websocket';
  let httpState: ConnectionState = 'waiting';
  let liveSince = 0;
  let breaks = 0;
  let isRecovering = false;

  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  const setHttpState = (next: ConnectionState): void => {
    httpState = next;
    notify();
  };
  const startAll = (): void => {
    for (const { start } of subscriptions) start();
  };
  const stopAll = (): void => {
    for (const { stop } of subscriptions) stop();
  };

  const socket = createSocket(socketUrl, {
    eager: true,
    pause: (failures) => (transport === 'http' ? pauseFor(SOCKET_RETRY_MS) : retryPause(failures)),
    onLost: async (failures) => {
      const isReachable = await signIn.check();
      if (!isReachable || failures < MAX_SOCKET_FAILURES || transport === 'http') return;
      if (socket.state() === 'connected') return;
      stopAll();
      transport = 'http';
      goOnOverHttp();
    },
  });
  socket.onState(() => {
    if (transport === 'http' && socket.state() === 'connected') {
      stopAll();
      transport = 'websocket';
      startAll();
    }
    notify();
  });

  function goOnOverHttp(): void {
    if (document.visibilityState === 'hidden') return;
    liveSince = performance.now();
    setHttpState('connected');
    startAll();
  }

  /** Stops the streams, and starts them again once the server answers. */
  async function recover(): Promise<void> {
    stopAll();
    setHttpState('waiting');
    if (isRecovering) return;
    isRecovering = true;
    if (performance.now() - liveSince >= STABLE_AFTER_MS) breaks = 0;
    do {
      await retryPause(breaks);
      breaks += 1;
    } while (transport === 'http' && !(await signIn.check()));
    isRecovering = false;
    if (transport === 'http') goOnOverHttp();
  }

  document.addEventListener('visibilitychange', () => {
    if (transport === 'http') void recover();
  });

  function startOverHttp(payload: SubscribePayload, sink: ResultSink): () => void {
    const onBroken = (): void => void recover();
    return openEventStream({ url: httpUrl, fetch: signIn.fetch, payload, sink, onBroken });
  }

  return {
    state: () => (transport === 'http' ? httpState : socket.state()),
    transport: () => transport,
    onState: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    subscribe: (payload, sink) => {
      let unsubscribe = (): void => undefined;
      let current: object | null = null;
      const subscription: Subscription = {
        start: () => {
          subscription.stop();
          const own = {};
          current = own;
          const end = (report: () => void): void => {
            if (current !== own) return;
            subscriptions.delete(subscription);
            report();
          };
          const guarded: ResultSink = {
            next: (result) => sink.next(result as never),
            error: (error) => end(() => sink.error(error)),
            complete: () => end(() => sink.complete()),
          };
          if (transport === 'websocket') unsubscribe = socket.client.subscribe(payload, guarded);
          else if (httpState === 'connected') unsubscribe = startOverHttp(payload, guarded);
        },
        stop: () => {
          current = null;
          unsubscribe();
          unsubscribe = () => undefined;
        },
      };
      subscriptions.add(subscription);
      subscription.start();
      return () => {
        subscriptions.delete(subscription);
        subscription.stop();
      };
    },
  };
}
