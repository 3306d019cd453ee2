import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { StreamsConfig } from '../../config/types.ts';
import { memoizeText } from '../memoize-text.ts';
import type { Refusal } from '../request-checks.ts';

export const TOO_MANY_CONNECTIONS: Refusal = {
  status: 429,
  code: 'TOO_MANY_CONNECTIONS',
  message:
    'This client has too many open WebSockets, event streams and MCP requests. Close some, then try again.',
};

export type ClientConnections = ReturnType<typeof createClientConnections>;

export function createClientConnections(
  limits: Pick<StreamsConfig, 'connectionsPerClient'>,
  clientNameOf: (req: IncomingMessage) => string,
) {
  const open = new Map<string, number>();
  return {
    /** Counts a connection. Returns the function that releases it; `null` if the client has reached its limit. */
    enter(req: IncomingMessage): (() => void) | null {
      const name = clientNameOf(req);
      const count = open.get(name) ?? 0;
      if (count >= limits.connectionsPerClient) return null;
      open.set(name, count + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        const rest = (open.get(name) ?? 1) - 1;
        if (rest > 0) open.set(name, rest);
        else open.delete(name);
      };
    },
  };
}

/** Leading bits of an IPv6 address that identify a client, because a client owns all addresses of its /64 network. */
const NETWORK_BITS = 64;

export function peerOf(req: IncomingMessage): string {
  return networkOf(req.socket.remoteAddress ?? '');
}

const networkOf = memoizeText((text) => {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  const network = address.toByteArray().slice(0, NETWORK_BITS / 8);
  return network.join(':');
});
