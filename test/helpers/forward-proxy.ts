import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { listenOn } from './mcp/listen.ts';

/** Names that only the proxy resolves, with the address (http://host:port) of the server behind each. */
export type Sites = Readonly<Record<string, string>>;

/**
 * A forward proxy on loopback with sites behind it. Each site is served over HTTP at port 80 and over HTTPS at port 443,
 * with a certificate of a private authority.
 */
export interface ForwardProxy {
  /** URL with the user name and password that the proxy requires. */
  url: string;
  /** `host:port` of the proxy. */
  name: string;
  /** File with the certificate of the private authority (PEM). */
  caFile: string;
  /** `CONNECT host:port` or `METHOD http://…` of each request, in order, refused ones too. */
  seen: string[];
  /** Cuts all connections and answers every request with this status; `null` forwards again. */
  refuse(status: number | null): void;
  close(): Promise<void>;
}

const CREDENTIALS = 'tarsy:pass/word';

export async function startForwardProxy(sites: Sites): Promise<ForwardProxy> {
  const dir = mkdtempSync(join(tmpdir(), 'tarsy-proxy-'));
  const tls = makeCertificate(dir, Object.keys(sites));
  const seen: string[] = [];
  let refusal: number | null = null;
  const refusalOf = ({ headers }: IncomingMessage) => {
    const expected = `Basic ${Buffer.from(CREDENTIALS).toString('base64')}`;
    return refusal ?? (headers['proxy-authorization'] === expected ? null : 407);
  };
  const serve = (req: IncomingMessage, res: ServerResponse) => forward(sites, req, res);
  const secure = createTlsServer(tls, serve);
  secure.on('upgrade', (req, socket) => upgrade(sites, req, socket));
  const securePort = await listenOn(secure);
  const server = createServer((req, res) => {
    seen.push(`${req.method} ${req.url}`);
    const status = refusalOf(req);
    if (status !== null) return void res.writeHead(status).end('a page of the proxy');
    req.url = req.url!.replace(/^http:\/\/[^/]*/, '');
    serve(req, res);
  });
  server.on('connect', (req, socket) => {
    seen.push(`CONNECT ${req.url}`);
    const status = refusalOf(req) ?? (req.url!.replace(/:443$/, '') in sites ? null : 502);
    if (status !== null) return void socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
    const onward = connect(securePort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
  });
  const port = await listenOn(server);
  return {
    url: `http://${CREDENTIALS.replace('/', '%2F')}@127.0.0.1:${port}`,
    name: `127.0.0.1:${port}`,
    caFile: join(dir, 'ca.pem'),
    seen,
    refuse(status) {
      refusal = status;
      secure.closeAllConnections();
      server.closeAllConnections();
    },
    async close() {
      for (const one of [server, secure]) {
        one.close();
        one.closeAllConnections();
      }
      if (server.listening) await once(server, 'close');
      rmSync(dir, { recursive: true });
    },
  };
}

/** Forwards the upgrade to a WebSocket, then all bytes. */
function upgrade(sites: Sites, req: IncomingMessage, socket: Duplex): void {
  const address = sites[req.headers.host ?? ''];
  if (address === undefined) return void socket.destroy();
  const { hostname, port } = new URL(address);
  const headers = Object.entries(req.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const onward = connect(Number(port), hostname, () => {
    onward.write(`${req.method} ${req.url} HTTP/1.1\r\n${headers.join('')}\r\n`);
    onward.pipe(socket).pipe(onward);
  });
  onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
}

function forward(sites: Sites, req: IncomingMessage, res: ServerResponse): void {
  const address = sites[req.headers.host ?? ''];
  if (address === undefined) return void res.writeHead(502).end();
  const onward = request(new URL(req.url!, address), { method: req.method, headers: req.headers });
  onward.on('response', (answer) => {
    res.writeHead(answer.statusCode!, answer.rawHeaders);
    answer.pipe(res);
  });
  onward.on('error', () => res.destroy());
  res.on('close', () => onward.destroy());
  req.pipe(onward);
}

/** Writes ca.pem, the certificate of a private authority, and returns a certificate that it signed. */
function makeCertificate(dir: string, names: readonly string[]): { key: string; cert: string } {
  const openssl = (...args: string[]) =>
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...args], {
      cwd: dir,
      stdio: 'ignore',
    });
  openssl('-subj', '/CN=Private authority', '-keyout', 'ca.key', '-out', 'ca.pem');
  const san = `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`;
  const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', san];
  const more = ['-addext', 'basicConstraints=critical,CA:FALSE'];
  openssl('-subj', '/CN=sites', ...signer, ...more, '-keyout', 'site.key', '-out', 'site.pem');
  return {
    key: readFileSync(join(dir, 'site.key'), 'utf8'),
    cert: readFileSync(join(dir, 'site.pem'), 'utf8'),
  };
}
