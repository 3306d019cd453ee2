import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Network } from '../../src/runbooks/network.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** A site's answer: a text, or a function that answers. */
export type Page = string | Handler;

/**
 * A simulated internet. Names resolve to the given addresses. Connections to public addresses reach one local
 * server that serves every site. All other connections reach a trap that counts them. There is no TLS.
 */
export interface Internet {
  network: Network;
  /** Addresses by name; a function is called for each look-up. */
  names: Map<string, string[] | (() => string[])>;
  /** Pages by URL without query. All other URLs answer 404. */
  pages: Map<string, Page>;
  /** Requests that sites received, in order. */
  requests: { url: string; headers: IncomingMessage['headers'] }[];
  /** Resolved names, in order. */
  resolved: string[];
  /** Attempts to connect to an address that belongs to no site. */
  trapped: string[];
  close(): Promise<void>;
}

/** The public address of every test site. */
export const PUBLIC_ADDRESS = '140.82.112.3';

export async function startInternet(): Promise<Internet> {
  const pages: Internet['pages'] = new Map();
  const names: Internet['names'] = new Map();
  const requests: Internet['requests'] = [];
  const resolved: string[] = [];
  const trapped: string[] = [];
  // Protocol of a request, keyed by the client's port because plain sockets do not carry the protocol.
  const protocols = new Map<number, string>();
  const sites = createServer((req, res) => {
    const protocol = protocols.get(req.socket.remotePort ?? 0);
    const url = `${protocol}//${req.headers.host}${req.url}`;
    requests.push({ url, headers: req.headers });
    answer(pages.get(url.split('?', 1)[0] ?? ''), req, res);
  });
  const trap = createServer((_req, res) => res.end('a secret of the inside'));
  const [sitePort, trapPort] = await Promise.all([listen(sites), listen(trap)]);
  const network: Network = {
    async resolve(hostname) {
      resolved.push(hostname);
      const found = names.get(hostname);
      if (!found) throw Object.assign(new Error(`no such name: ${hostname}`), { code: 'ENOTFOUND' });
      return typeof found === 'function' ? found() : found;
    },
    connector: (addresses) => (options, done) => {
      const isSite = addresses.every((address) => address === PUBLIC_ADDRESS);
      if (!isSite) trapped.push(`${options.hostname} ${addresses.join(' ')}`);
      const socket = connect(isSite ? sitePort : trapPort, '127.0.0.1');
      socket.once('error', (error) => done(error, null));
      socket.once('connect', () => {
        protocols.set((socket.address() as AddressInfo).port, options.protocol);
        done(null, socket);
      });
    },
  };
  return {
    network,
    names,
    pages,
    requests,
    resolved,
    trapped,
    async close() {
      for (const server of [sites, trap]) {
        server.closeAllConnections();
        await new Promise((closed) => server.close(closed));
      }
    },
  };
}

function answer(page: Page | undefined, req: IncomingMessage, res: ServerResponse): void {
  if (typeof page === 'function') page(req, res);
  else if (page === undefined) res.writeHead(404).end('no such page');
  else res.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(page);
}

/** A page that redirects to another. */
export function redirect(location: string, status = 302): Handler {
  return (_req, res) => res.writeHead(status, { location }).end();
}

function listen(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
