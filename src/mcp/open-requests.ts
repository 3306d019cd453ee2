import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import type { AwaitedRequests } from './wire-message.ts';

/** Reason for disconnecting when a stream ends without an answer. The SDK would wait until the call times out. */
export const ENDED_WITHOUT_ANSWER = 'the server ended its answer without one';
/** Reason for disconnecting from an SSE server. The SDK would open another stream, whose session is not initialized. */
export const STREAM_ENDED = 'the server ended its event stream';

/** Time that the SDK's parser has for the last message of a stream (ms). */
export const PARSE_MS = 100;

export type OpenRequests = ReturnType<typeof createOpenRequests>;

export interface StreamWatch {
  onChunk(bytes: Buffer): void;
  onEnd(): void;
}

/**
 * Tracks the requests that wait for an answer.
 * @param onUnanswered called when an event stream ends without an answer and cannot be resumed
 */
export function createOpenRequests(onUnanswered: () => void) {
  const open = new Map<RequestId, string>();
  return {
    /** Records requests and cancellations that are sent. @returns the ids of the requests */
    onSent(sent: JSONRPCMessage | readonly JSONRPCMessage[]): RequestId[] {
      return [sent].flat().flatMap((message) => {
        if (!('method' in message)) return [];
        if (message.method === 'notifications/cancelled') open.delete(message.params?.requestId as RequestId);
        if (!('id' in message)) return [];
        open.set(message.id, message.method);
        return [message.id];
      });
    },
    /** Records the answers among received messages. They are unchecked, because the SDK may leave some out. */
    onReceived(received: unknown): void {
      for (const message of [received].flat() as unknown[])
        if (typeof message === 'object' && message !== null && !('method' in message) && 'id' in message)
          open.delete(message.id as RequestId);
    },
    /**
     * Returns the methods of open requests by id. @param ids limits the result to these ids; an empty list means all
     */
    awaited(ids: readonly RequestId[] = []): AwaitedRequests {
      return ids.length === 0 ? open : new Map([...open].filter(([id]) => ids.includes(id)));
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
            if (!resumable) for (const id of ids) open.delete(id);
          }, PARSE_MS);
        },
      };
    },
  };
}

/** Returns the messages in the body of a POST; `[]` for other bodies, such as a form for a token. */
export function messagesIn(body: unknown): JSONRPCMessage[] {
  if (typeof body !== 'string' || !/^[[{]/.test(body)) return [];
  return [JSON.parse(body) as JSONRPCMessage | JSONRPCMessage[]].flat();
}
