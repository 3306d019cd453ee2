import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/**
 * What one connection may bring, as so much at once (`burst`) and so much a second after that. A server well within
 * its rights stays far below; one that floods would keep this process busy and take it from other investigations.
 */
const LIMITS = {
  /** Messages of any kind, and lines that are none. */
  messages: { burst: 5_000, perSecond: 100, what: 'messages' },
  /** Requests of the server, each of which costs an answer. */
  requests: { burst: 100, perSecond: 5, what: 'requests of its own' },
  bytes: { burst: 64 * 1024 * 1024, perSecond: 4 * 1024 * 1024, what: 'bytes' },
  /** Streams opened over HTTP: a server may end each at once and ask for the next without delay. */
  streams: { burst: 20, perSecond: 1, what: 'ends of its event stream' },
} as const;

/** Counts what a server sends. Each function gives the reason, in words, when it is too much, else null. */
export interface Traffic {
  message(message: JSONRPCMessage): string | null;
  noise(): string | null;
  bytes(count: number): string | null;
  stream(): string | null;
}

export function createTraffic(now: () => number = () => performance.now()): Traffic {
  const messages = bucket(LIMITS.messages, now);
  const requests = bucket(LIMITS.requests, now);
  const bytes = bucket(LIMITS.bytes, now);
  const streams = bucket(LIMITS.streams, now);
  return {
    message: (message) => messages(1) ?? ('method' in message && 'id' in message ? requests(1) : null),
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
