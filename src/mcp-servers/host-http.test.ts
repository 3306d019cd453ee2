import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listenOn } from '../../test/helpers/mcp/listen.ts';
import { type ShippedServer, startHost } from '../../test/helpers/mcp/shipped-servers.ts';

let server: Server;
let port: number;
let host: ShippedServer;
const asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.setHeader('set-cookie', 'session=very-secret');
    if (request.url === '/redirect') response.writeHead(302, { location: 'http://192.0.2.1/' }).end();
    else if (request.url === '/broken')
      response.writeHead(503, { 'content-type': 'text/plain' }).end('no database');
    else if (request.url === '/large') response.end('x'.repeat(100_000));
    else if (request.url === '/reset') request.socket.destroy();
    else if (request.url === '/image') response.writeHead(200, { 'content-type': 'image/png' }).end('PNG');
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  port = await listenOn(server);
  host = await startHost({ HOST_MCP_PROBE_TARGETS: 'configured.invalid:81, 192.0.2.7' });
});

afterAll(async () => {
  await host.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const probe = (path: string, args: object = {}) =>
  host.call('http_probe', { url: `http://127.0.0.1:${port}${path}`, ...args });

it('shows status, latency, headers and body', async () => {
  const { text } = await probe('/health');
  expect(text).toMatch(/^status 200 OK \(HTTP\/1\.1\), headers after \d+ ms/m);
  expect(text).toContain('content-type: application/json');
  expect(text).toContain('{"ok":true}');
  expect(text).not.toContain('very-secret');
  expect((await host.call('http_probe', { url: `http://localhost:${port}/` })).text).toContain('status 200');
});

it('reports an error status as a finding', async () => {
  const { text, isError } = await probe('/broken');
  expect(isError).toBe(false);
  expect(text).toContain('status 503');
  expect(text).toContain('no database');
});

it('does not follow redirects', async () => {
  const { text } = await probe('/redirect');
  expect(text).toContain('status 302');
  expect(text).toContain('location: http://192.0.2.1/');
});

it('truncates the body and hides binary ones', async () => {
  const { text } = await probe('/large');
  expect(text).toContain('body (first 4.0 KiB):');
  expect(text.length).toBeLessThan(5000);
  expect((await probe('/image')).text).toContain('body: not text, not shown');
});

it('sends a HEAD request', async () => {
  const { text } = await probe('/head', { method: 'HEAD' });
  expect(text).toContain('status 200');
  expect(asked).toContain('HEAD /head');
});

it('reports why a service does not answer', async () => {
  expect((await probe('/reset')).text).toContain('connection closed by the service');
  const closed = createServer();
  const closedPort = await listenOn(closed);
  closed.close();
  await once(closed, 'close');
  const { text, isError } = await host.call('http_probe', { url: `http://127.0.0.1:${closedPort}/` });
  expect(isError).toBe(false);
  expect(text).toContain('connection refused');
  expect((await host.call('http_probe', { url: 'http://configured.invalid:81/' })).text).toContain(
    'does not resolve',
  );
});

it.each([
  ['http://192.0.2.1/', 'NOT_ALLOWED'],
  ['http://169.254.169.254/', 'NOT_ALLOWED'],
  ['http://configured.invalid:82/', 'NOT_ALLOWED'],
  ['http://127.0.0.1.example.com/', 'NOT_ALLOWED'],
  ['http://[::ffff:8.8.8.8]/', 'NOT_ALLOWED'],
  ['file:///etc/passwd', 'BAD_INPUT'],
  ['http://user:pw@127.0.0.1/', 'BAD_INPUT'],
  ['nonsense', 'BAD_INPUT'],
])('refuses %s', async (url, code) => {
  const { text, isError } = await host.call('http_probe', { url });
  expect(isError).toBe(true);
  expect(text).toMatch(new RegExp(`^${code}: `));
});
