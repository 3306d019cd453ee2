import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

/** Behaviour of a reverse proxy in front of TARSy. */
export interface FrontProxyOptions {
  /** Address of TARSy (http://host:port). */
  upstream: string;
  /** Path below which the proxy serves TARSy, such as `/tarsy`; '' for the root. */
  prefix: string;
  /** True if the proxy removes the prefix, as nginx does when `proxy_pass` has a path. */
  strips: boolean;
  /** False if the proxy does not pass on WebSocket upgrades, as nginx by default. */
  upgrades: boolean;
  port?: number;
}

export interface FrontProxy {
  /** Address of TARSy behind the proxy, without trailing slash. */
  url: string;
  close(): Promise<void>;
}

export interface NodeProxy extends FrontProxy {
  /** Changes whether new WebSocket upgrades are passed on. Cuts open WebSockets. */
  setUpgrades(upgrades: boolean): void;
  /** The number of WebSocket upgrades that browsers requested so far. */
  upgradeRequests(): number;
  /** The number of event streams that are open now. */
  openStreams(): number;
}

/** Headers that concern one connection only, which nginx does not pass on. */
const HOP_BY_HOP = ['connection', 'upgrade', 'keep-alive'];

function withoutHopByHop(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}

/** Starts a proxy in Node that behaves as nginx with the configuration in docs/how-to/install/reverse-proxy.md. */
export async function startNodeProxy(options: FrontProxyOptions): Promise<NodeProxy> {
  const { upstream, prefix, strips, port = await freePort() } = options;
  const { hostname, port: upstreamPort } = new URL(upstream);
  let { upgrades } = options;
  let asked = 0;
  let streams = 0;
  const sockets = new Set<Socket>();
  const forward = (req: IncomingMessage, headers: IncomingMessage['headers']) => {
    const path = strips ? req.url!.slice(prefix.length) : req.url!;
    return request({ hostname, port: upstreamPort, path, method: req.method, headers, agent: false });
  };
  const server = createServer((req, res) => {
    if (!req.url!.startsWith(`${prefix}/`)) return void res.writeHead(404).end('another application');
    const onward = forward(req, withoutHopByHop(req.headers));
    onward.on('response', (answer) => {
      res.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(res);
      answer.on('error', () => res.destroy());
      if (!answer.headers['content-type']?.startsWith('text/event-stream')) return;
      streams += 1;
      res.on('close', () => {
        streams -= 1;
      });
    });
    onward.on('error', () => res.destroy());
    res.on('close', () => onward.destroy());
    req.pipe(onward);
  });
  server.on('upgrade', (req, socket: Socket) => {
    asked += 1;
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy()));
    // A proxy that does not know upgrades forwards a plain GET, and the answer of the API to that.
    const onward = forward(req, upgrades ? req.headers : withoutHopByHop(req.headers));
    onward.on('upgrade', (answer, far) => {
      const headers = answer.rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join('')}\r\n`);
      far.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.on('close', () => far.destroy());
      far.pipe(socket).pipe(far);
    });
    onward.on('response', ({ statusCode }) =>
      socket.end(`HTTP/1.1 ${statusCode} \r\nConnection: close\r\n\r\n`),
    );
    onward.on('error', () => socket.destroy());
    onward.end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    setUpgrades(next) {
      upgrades = next;
      cut();
    },
    upgradeRequests: () => asked,
    openStreams: () => streams,
    async close() {
      cut();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Path of nginx; `null` if it is missing. `.ci/run` unpacks it from Debian's package. */
export const NGINX: string | null =
  [resolve(import.meta.dirname, '../../.tarsy/tools/nginx'), '/usr/sbin/nginx'].find((path) =>
    existsSync(path),
  ) ?? null;

/** Starts nginx as a user without rights, with the configuration of docs/how-to/install/reverse-proxy.md. */
export async function startNginx(options: FrontProxyOptions): Promise<FrontProxy> {
  const { upstream, prefix, strips, upgrades, port = await freePort() } = options;
  const folder = await mkdtemp(join(tmpdir(), 'tarsy-nginx-'));
  const upgradeLines = `map $http_upgrade $connection_upgrade { default upgrade; '' ''; }`;
  const upgradeHeaders =
    'proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;';
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
events {}
http {
  access_log off; ${temporary.join(' ')}
  ${upgradeLines}
  server {
    listen 127.0.0.1:${port};
    location ${prefix}/ {
      proxy_pass ${upstream}${strips ? '/' : ''};
      proxy_http_version 1.1; proxy_set_header Host $http_host; client_max_body_size 8m;
      ${upgrades ? upgradeHeaders : ''}
    }
  }
}
`,
  );
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf')];
  await promisify(execFile)(NGINX!, [...args, '-t']);
  const nginx = spawn(NGINX!, args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(url).catch(() => null))) if (nginx.exitCode !== null) throw new Error('nginx ended');
  return {
    url: `${url}${prefix}`,
    async close() {
      const ended = once(nginx, 'exit');
      nginx.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
