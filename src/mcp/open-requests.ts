import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';

/** Reason for disconnecting when a stream ends without an answer. The SDK would wait until the call times out. */
export const ENDED_WITHOUT_ANSWER = 'the server ended its answer without one';

/** Time that the SDK's parser has for the last message of a stream (ms). */
const PARSE_MS = 100;

export type OpenRequests = ReturnType<typeof createOpenRequests>;

export interface StreamWatch {
  onChunk(bytes: Buffer): void;
  onEnd(): void;
}

/**
 * Tracks the requests over HTTP that wait for an answer.
 * @param onUnanswered called when an event stream ends without an answer and cannot be resumed
 */
export function createOpenRequests(onUnanswered: () => void) {
  const open = new Set<RequestId>();
  return {
    /** Records the requests and cancellations in the body of a POST. @returns the ids of the requests */
    onSent(body: unknown): RequestId[] {
      const ids = messagesOf(body).flatMap((message) => {
        if ('method' in message && message.method === 'notifications/cancelled') {
          open.delete(message.params?.requestId as RequestId);
        }
        return 'method' in message && 'id' in message ? [message.id] : [];
      });
      for (const id of ids) open.add(id);
      return ids;
    },
    onReceived(message: JSONRPCMessage): void {
      if (!('method' in message) && message.id !== undefined) open.delete(message.id);
    },
    watch(ids: readonly RequestId[]): StreamWatch {
      let resumable = false;
      let lineStart = '\n';
      return {
        onChunk(bytes) {
          // An `id:` field at the start of a line makes a stream resumable.
          const text = lineStart + bytes.toString('latin1');
          resumable ||= /[\r\n]id:/.test(text);
          lineStart = text.slice(-3);
        },
        onEnd() {
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
