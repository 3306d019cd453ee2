import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/** Maximum size of a message (bytes). A larger message ends the connection. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
export const TOO_LARGE = `the server sent more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB in one message`;

/** Limits of one connection, far above normal traffic, because a flooding server would block other investigations. */
const LIMITS = {
  messages: { burst: 5_000, perSecond: 100, what: 'messages' },
  /** Requests from the server, because this client must answer all of them. */
  requests: { burst: 100, perSecond: 5, what: 'requests of its own' },
  bytes: { burst: 64 * 1024 * 1024, perSecond: 4 * 1024 * 1024, what: 'bytes' },
  /** Event streams over HTTP, because a server may end each at once, which makes the client open the next. */
  streams: { burst: 20, perSecond: 1, what: 'ends of its event stream' },
} as const;

export type TrafficLimiter = ReturnType<typeof createTrafficLimiter>;

/** Counts what a server sends. Each function returns the reason when a limit is exceeded, otherwise `null`. */
export function createTrafficLimiter(now: () => number = () => performance.now()) {
  const messages = bucket(LIMITS.messages, now);
  const requests = bucket(LIMITS.requests, now);
  const bytes = bucket(LIMITS.bytes, now);
  const streams = bucket(LIMITS.streams, now);
  return {
    message: (message: JSONRPCMessage) =>
      messages(1) ?? ('method' in message && 'id' in message ? requests(1) : null),
    noise: () => messages(1),
    bytes,
    stream: () => streams(1),
  };
}

function bucket(limit: { burst: number; perSecond: number; what: string }, now: () => number) {
  let left: number = limit.burst;
  let at = now();
  return (count: number): string | null => {
    const moment = now();
    left = Math.min(limit.burst, left + ((moment - at) / 1000) * limit.perSecond) - count;
    at = moment;
    return left < 0 ? `the server sent too many ${limit.what}` : null;
  };
}
