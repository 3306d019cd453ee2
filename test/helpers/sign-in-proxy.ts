import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** The status with which the proxy answers API requests of signed-out users. */
export type Refusal = '401' | '302';

/** An authenticating proxy that is not oauth2-proxy. One button signs in as `ana`. */
export interface SignInProxy {
  url: string;
  /** Signs all users out and cuts their WebSockets. */
  expire(): void;
  /** Signs all users out. Open WebSockets stay, because the proxy checks only the upgrade. */
  lapse(): void;
  close(): Promise<void>;
}

/** Starts the proxy in front of the server at `upstream` (http://host:port). */
export async function startSignInProxy(upstream: string, refusal: Refusal): Promise<SignInProxy> {
  const { hostname, port } = new URL(upstream);
  const sessions = new Set<string>();
  const sockets = new Set<Socket>();
  const isSignedIn = (req: IncomingMessage): boolean =>
    sessions.has(/(?:^|; )session=([^;]+)/.exec(req.headers.cookie ?? '')?.[1] ?? '');
  const forward = (req: IncomingMessage) =>
    request({
      hostname,
      port,
      path: req.url,
      method: req.method,
      headers: { ...req.headers, 'x-forwarded-user': 'ana' },
    });

  const server = createServer((req, res) => {
    const path = req.url!.split('?')[0];
    if (path === '/sign-in') return signIn(req, res, sessions);
    if (path !== '/health' && !isSignedIn(req))
      return refuse(req, res, path === '/graphql' ? refusal : '302');
    const onward = forward(req);
    onward.on('response', (answer) => {
      res.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  server.on('upgrade', (req, socket: Socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy()));
    if (!isSignedIn(req)) return void socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
    const onward = forward(req);
    onward.on('upgrade', (answer, far) => {
      const headers = answer.rawHeaders.map((text, place) => (place % 2 === 0 ? `${text}: ` : `${text}\r\n`));
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join('')}\r\n`);
      far.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.on('close', () => far.destroy());
      far.pipe(socket).pipe(far);
    });
    onward.on('error', () => socket.destroy());
    onward.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    expire() {
      sessions.clear();
      cut();
    },
    lapse: () => sessions.clear(),
    async close() {
      cut();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Serves a page with a sign-in button, which returns the user to the original address. */
function signIn(req: IncomingMessage, res: ServerResponse, sessions: Set<string>): void {
  const back = new URL(req.url!, 'http://proxy').searchParams.get('rd') ?? '/';
  if (req.method === 'POST') {
    const session = randomUUID();
    sessions.add(session);
    res.writeHead(302, {
      location: back,
      'set-cookie': `session=${session}; HttpOnly; SameSite=Lax; Path=/`,
    });
    res.end();
    return;
  }
  res.writeHead(200, { 'content-type': 'text/html' });
  // The form needs an explicit address, because a form without one would send the address without the part
  // after `#`.
  const form = `<form method="post" action="${req.url}"><button>Sign in as ana</button></form>`;
  res.end(`<!doctype html><title>Sign in</title>${form}`);
}

function refuse(req: IncomingMessage, res: ServerResponse, how: Refusal): void {
  if (how === '401') res.writeHead(401, { 'content-type': 'application/json' }).end('{}');
  else res.writeHead(302, { location: `/sign-in?${new URLSearchParams({ rd: req.url! })}` }).end();
}
