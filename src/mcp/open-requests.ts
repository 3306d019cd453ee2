import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';

/** How an answer ended for which the SDK would wait until the time of the call is up. */
export const UNANSWERED = 'the server ended its answer without one';

/** Milliseconds that what came last may take on its way through the SDK's parser. */
const PARSE_MS = 100;

/** Requests that wait for their answer over HTTP, where an answer can end before it came. */
export interface OpenRequests {
  /** Notes what a POST asks, or takes back. @returns the ids of its requests */
  sent(body: unknown): RequestId[];
  received(message: JSONRPCMessage): void;
  /** Watches the event stream that answers a POST. */
  watch(ids: readonly RequestId[]): WatchedStream;
}

/** What of an event stream is looked at: each piece, and that it ended or broke. */
export interface WatchedStream {
  piece(bytes: Buffer): void;
  ended(): void;
}

/** @param onUnanswered is called when an event stream ended without an answer and cannot be resumed */
export function createOpenRequests(onUnanswered: () => void): OpenRequests {
  const open = new Set<RequestId>();
  return {
    sent(body) {
      const ids = messagesOf(body).flatMap((message) => {
        if ('method' in message && message.method === 'notifications/cancelled') {
          open.delete(message.params?.requestId as RequestId);
        }
        return 'method' in message && 'id' in message ? [message.id] : [];
      });
      for (const id of ids) open.add(id);
      return ids;
    },
    received(message) {
      if (!('method' in message) && message.id !== undefined) open.delete(message.id);
    },
    watch(ids) {
      let resumable = false;
      let lineStart = '\n';
      return {
        piece(bytes) {
          // The field that makes a stream resumable stands at the begin of a line.
          const text = lineStart + bytes.toString('latin1');
          resumable ||= /[\r\n]id:/.test(text);
          lineStart = text.slice(-3);
        },
        ended() {
          setTimeout(() => {
            if (!resumable && ids.some((id) => open.has(id))) onUnanswered();
            for (const id of ids) open.delete(id);
          }, PARSE_MS);
        },
      };
    },
  };
}

function messagesOf(body: unknown): JSONRPCMessage[] {
  if (typeof body !== 'string' || !/^[[{]/.test(body)) return [];
  const parsed = JSON.parse(body) as JSONRPCMessage | JSONRPCMessage[];
  return Array.isArray(parsed) ? parsed : [parsed];
}
