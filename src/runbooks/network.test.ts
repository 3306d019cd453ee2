import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemNetwork } from './network.ts';
import { createRunbooks } from './runbooks.ts';

/** A real server on this machine, reachable only if the configuration lists it. */
const server = createServer((req, res) => {
  res.writeHead(200, { 'content-type': 'text/plain' }).end(`host ${req.headers.host}`);
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => new Promise((closed) => server.close(closed)));

function reader(host: string, resolve?: () => Promise<string[]>) {
  const network = systemNetwork();
  return createRunbooks({
    config: {
      repoUrl: null,
      cacheTtlMs: 0,
      allowedDomains: ['github.com'],
      allowHttp: true,
      privateHosts: [`${host}:${port}`],
    },
    githubToken: null,
    mask: (text) => text,
    warnings: { raise: async () => {}, clear: async () => {} },
    logger: pino({ level: 'silent' }),
    network: resolve ? { ...network, resolve } : network,
  });
}

test('connects to the checked address, regardless of what the name resolves to later', async () => {
  const runbooks = reader('pinned.invalid', async () => ['127.0.0.1']);
  expect(await runbooks.read(`http://pinned.invalid:${port}/a.md`)).toEqual({
    content: `host pinned.invalid:${port}`,
  });
});

test('resolves names by the system', async () => {
  expect(await reader('localhost').read(`http://localhost:${port}/a.md`)).toEqual({
    content: `host localhost:${port}`,
  });
});

test('an IP address in the URL is checked like a resolved one', async () => {
  expect(await reader('127.0.0.1').read(`http://127.0.0.1:${port}/a.md`)).toEqual({
    content: `host 127.0.0.1:${port}`,
  });
  expect(await reader('localhost').read(`http://127.0.0.1:${port}/a.md`)).toHaveProperty('problem');
});

test('an unknown name is a problem, not an error', async () => {
  expect(await reader('nowhere.invalid').read(`http://nowhere.invalid:${port}/a.md`)).toEqual({
    problem: 'nowhere.invalid could not be reached',
  });
});
