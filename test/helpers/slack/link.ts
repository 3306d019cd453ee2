import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';

/** Time (ms) within which an app must acknowledge. */
export const ACK_MS = 3_000;

export interface Envelope {
  type: 'events_api' | 'interactive' | 'slash_commands';
  payload: object;
}

/** Socket Mode: the WebSockets of an app. */
export interface Link {
  /** Number of open WebSockets. */
  readonly open: number;
  /** Resolves once a WebSocket is open. */
  connected(): Promise<void>;
  /** Sends an envelope to one WebSocket. Resolves with the app's answer, or `null` if it did not acknowledge in time. */
  send(envelope: Envelope, retry?: number): Promise<object | null>;
  /** Asks the app to connect again and closes its WebSockets, as Slack does every few hours. Resolves once they are closed. */
  refresh(): Promise<void>;
  close(): void;
}

export function openLink(server: Server): Link {
  const sockets = new Set<WebSocket>();
  const waiting = new Map<string, (answer: object) => void>();
  let wake = Promise.withResolvers<void>();
  const wss = new WebSocketServer({ server, path: '/link/' });
  wss.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('message', (data) => {
      const { envelope_id: id, payload = {} } = JSON.parse(String(data));
      waiting.get(id)?.(payload);
    });
    socket.send(
      JSON.stringify({
        type: 'hello',
        num_connections: sockets.size,
        connection_info: { app_id: 'A0000APP' },
      }),
    );
    wake.resolve();
    wake = Promise.withResolvers();
  });
  return {
    get open() {
      return sockets.size;
    },
    async connected() {
      while (sockets.size === 0) await wake.promise;
    },
    async send({ type, payload }, retry = 0) {
      const id = randomUUID();
      const [socket] = sockets;
      if (!socket) return null;
      const answer = new Promise<object>((resolve) => waiting.set(id, resolve));
      const tried = retry === 0 ? {} : { retry_attempt: retry, retry_reason: 'timeout' };
      socket.send(
        JSON.stringify({
          envelope_id: id,
          type,
          payload,
          accepts_response_payload: type !== 'events_api',
          ...tried,
        }),
      );
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<null>((resolve) => {
        timer = setTimeout(resolve, ACK_MS, null);
      });
      const result = await Promise.race([answer, late]);
      clearTimeout(timer);
      waiting.delete(id);
      return result;
    },
    async refresh() {
      const closed = [...sockets].map((socket) => once(socket, 'close'));
      for (const socket of sockets) {
        socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
        socket.close();
      }
      await Promise.all(closed);
    },
    close() {
      for (const socket of sockets) socket.terminate();
      wss.close();
    },
  };
}
