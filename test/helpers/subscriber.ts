import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A graphql-transport-ws client that exposes every received message and the close code. */
export interface Subscriber {
  socket: WebSocket;
  messages: { id?: string; type: string; payload?: unknown }[];
  /** Resolves once `count` messages of this type have arrived. */
  got(type: string, count: number): Promise<void>;
  /** Code and reason of the close. */
  closed: Promise<{ code: number; reason: string }>;
  send(message: object): void;
}

/** Connects, sends connection_init, and waits for the acknowledgement. */
export async function openSubscriber(
  wsUrl: string,
  headers: Record<string, string> = {},
): Promise<Subscriber> {
  const socket = new WebSocket(wsUrl, 'graphql-transport-ws', { headers });
  const messages: Subscriber['messages'] = [];
  const watchers = new Set<() => void>();
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)));
    for (const watch of watchers) watch();
  });
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  const subscriber: Subscriber = {
    socket,
    messages,
    got(type, count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const watch = () => {
        if (messages.filter((message) => message.type === type).length < count) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
      return promise;
    },
    closed,
    send: (message) => socket.send(JSON.stringify(message)),
  };
  await once(socket, 'open');
  subscriber.send({ type: 'connection_init' });
  await subscriber.got('connection_ack', 1);
  return subscriber;
}

/** Returns the values of a subscription's single field. */
export function valuesOf({ messages }: Subscriber, id: string): unknown[] {
  return messages
    .filter((message) => message.type === 'next' && message.id === id)
    .map(({ payload }) => Object.values((payload as { data: object }).data)[0]);
}
