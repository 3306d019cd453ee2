import { createServer } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type ForwardProxy, startForwardProxy } from '../../test/helpers/forward-proxy.ts';
import { freePort } from '../../test/helpers/free-port.ts';
import { callTool, openExecutor } from '../../test/helpers/mcp/executor.ts';
import { type HttpMcpServer, startHttpMcp } from '../../test/helpers/mcp/http-server.ts';
import { listenOn } from '../../test/helpers/mcp/listen.ts';
import { createSlackClient } from '../engine/features/slack/client.ts';
import { openSession } from '../mcp/negotiate.ts';
import type { McpServerSettings } from '../mcp/types.ts';
import { createGuardedFetch } from '../runbooks/guarded-fetch.ts';
import { systemNetwork } from '../runbooks/network.ts';
import { createRunbooks } from '../runbooks/runbooks.ts';
import { openOutgoing } from './open.ts';

const TOKEN = 'token-of-the-mcp-server';
const logger = pino({ level: 'silent' });
const before = getGlobalDispatcher();
let mcp: HttpMcpServer;
let proxy: ForwardProxy;

beforeAll(async () => {
  mcp = await startHttpMcp(TOKEN);
  proxy = await startForwardProxy({ 'mcp.example.test': mcp.url, 'slack.com': mcp.url });
  await openOutgoing({ HTTPS_PROXY: proxy.url, SSL_CERT_FILE: proxy.caFile });
});
beforeEach(() => {
  proxy.refuse(null);
  proxy.seen.length = 0;
  vi.stubEnv('HTTPS_PROXY', proxy.url);
  vi.stubEnv('HTTP_PROXY', proxy.url);
  return () => vi.unstubAllEnvs();
});
afterAll(async () => {
  setGlobalDispatcher(before);
  await proxy.close();
  await mcp.close();
});

/** Sends a request to a site, and returns the reason if that fails. */
type Send = () => Promise<string>;

const connectMcp =
  (type: 'http' | 'sse', url: string): Send =>
  async () => {
    const transport = { type, url, bearerToken: TOKEN };
    try {
      const session = await openSession({ id: 'x', transport } as never, { logger, timeoutMs: 8_000 });
      await session.close();
      return 'connected';
    } catch (error) {
      return (error as Error).message;
    }
  };

const rules = { allowedDomains: ['mcp.example.test'], allowHttp: false, privateHosts: [] };

const readRunbook: Send = async () => {
  const runbooks = createRunbooks({
    config: { ...rules, repoUrl: null, cacheTtlMs: 0 },
    githubToken: null,
    mask: (text) => text,
    warnings: { raise: async () => {}, clear: async () => {} },
    logger,
  });
  const found = await runbooks.read('https://mcp.example.test/runbook.md');
  return 'problem' in found ? found.problem : found.content;
};

const fetchPage: Send = () =>
  fetch('https://mcp.example.test/').then(
    ({ status }) => String(status),
    (error: Error) => String((error.cause as Error).message),
  );

const ALL: [string, Send, string][] = [
  ['MCP over HTTP', connectMcp('http', 'https://mcp.example.test/mcp'), 'connected'],
  ['MCP over SSE', connectMcp('sse', 'https://mcp.example.test/sse'), 'connected'],
  ['MCP without TLS', connectMcp('http', 'http://mcp.example.test/mcp'), 'connected'],
  ['a runbook', readRunbook, 'mcp.example.test requires a sign-in (401)'],
  ['fetch', fetchPage, '401'],
];

test.each(ALL)('%s goes through the proxy, with its password', async (_, send, expected) => {
  expect(await send()).toBe(expected);
  expect(proxy.seen.length).toBeGreaterThan(0);
});

test.each(ALL)('%s tells that the proxy requires another password', async (_, send) => {
  proxy.refuse(407);
  expect(await send()).toContain(`the proxy ${proxy.name} requires another user name or password (407)`);
});

test.each(ALL.filter(([name]) => name !== 'MCP without TLS'))(
  '%s tells that the proxy answered 502',
  async (_, send) => {
    proxy.refuse(502);
    expect(await send()).toContain(`the proxy ${proxy.name} answered 502 and opened no connection`);
  },
);

test.each(['http', 'sse'] as const)(
  'a tool call over %s waits until the proxy forwards again',
  async (type) => {
    let retries = 0;
    const log = new Writable({
      write(line: Buffer, _, done) {
        if (line.includes('MCP call retried')) retries += 1;
        if (retries === 3) proxy.refuse(null);
        done();
      },
    });
    const url = `https://mcp.example.test/${type === 'http' ? 'mcp' : 'sse'}`;
    const server: McpServerSettings = { id: 'web', transport: { type, url, bearerToken: TOKEN } };
    const tools = await openExecutor([server], { logger: pino({}, log) });
    expect((await callTool(tools, 'web.echo', { text: 'first' })).content).toBe('first');
    proxy.refuse(503);
    expect((await callTool(tools, 'web.echo', { text: 'second' })).content).toBe('second');
    await tools.close();
  },
);

test.each(ALL)('%s tells that the proxy is down, without its password', async (_, send) => {
  const name = `127.0.0.1:${await freePort()}`;
  vi.stubEnv('HTTPS_PROXY', `http://me:secret@${name}`);
  vi.stubEnv('HTTP_PROXY', `http://me:secret@${name}`);
  const reason = await send();
  expect(reason).toContain(`the proxy ${name} could not be reached (ECONNREFUSED)`);
  expect(reason).not.toContain('secret');
});

test('a runbook is given up after its time limit if the proxy says nothing', async () => {
  const silent = createServer();
  const name = `127.0.0.1:${await listenOn(silent)}`;
  onTestFinished(() => void silent.close());
  vi.stubEnv('HTTPS_PROXY', `http://${name}`);
  const deps = { rules, githubToken: null, hostTokens: [], network: systemNetwork(), timeoutMs: 500 };
  const read = createGuardedFetch(deps)(new URL('https://mcp.example.test/a.md'), {
    maxBytes: 1,
    accept: '',
  });
  await expect(read).rejects.toThrow(`mcp.example.test took too long through the proxy ${name}`);
});

test.each(ALL)('%s goes directly to a host of NO_PROXY', async (_, send) => {
  vi.stubEnv('NO_PROXY', '.example.test');
  expect(await send()).toMatch(/ENOTFOUND|EAI_AGAIN|could not be reached|connection failed/);
  expect(proxy.seen).toEqual([]);
});

test('a loopback server is reached directly', async () => {
  expect(await connectMcp('http', `${mcp.url}/mcp`)()).toBe('connected');
  expect(proxy.seen).toEqual([]);
});

test('a Slack message that the proxy refused was not sent', async () => {
  const signal = AbortSignal.timeout(8_000);
  const slack = createSlackClient({ token: 'xoxb-1', channel: 'C1', callTimeoutMs: 5_000, signal });
  proxy.refuse(503);
  await expect(slack.post({ text: 'x' } as never, null)).rejects.toMatchObject({
    failure: { code: 'unreachable', isTemporary: true, mayHaveSucceeded: false },
  });
  expect(proxy.seen).toEqual(['CONNECT slack.com:443']);
});
