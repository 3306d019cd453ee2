import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, openApi } from '../../test/helpers/http-api.ts';
import { JSON_HEADERS } from '../../test/helpers/raw-http.ts';
import { createTargetReader, rootFrom, subPathOf } from './sub-path.ts';

it.each([
  ['https://host', ''],
  ['https://host/', ''],
  ['https://host/a/b/', '/a/b'],
])('the sub-path of %s is %j', (url, subPath) => {
  expect(subPathOf(url)).toBe(subPath);
});

it.each([
  ['/tarsy/sessions/1?a=/tarsy/', '/sessions/1?a=/tarsy/'],
  ['/tarsy/', '/'],
  ['/tarsy/graphql/?query=x', '/graphql?query=x'],
  ['/sessions/1', '/sessions/1'],
  ['/graphql/', '/graphql'],
  ['/graphql/x', '/graphql/x'],
  ['/tarsy', '/tarsy'],
  ['/tarsy2/x', '/tarsy2/x'],
])('the target %s is read as %s', (url, read) => {
  const req = { url } as IncomingMessage;
  createTargetReader('/tarsy')(req);
  expect(req.url).toBe(read);
});

it.each([
  ['/', './'],
  ['/submit?from=a/b', './'],
  ['/sessions/1', '../'],
  ['/sessions/1/trace', '../../'],
])('the root as seen from %s is %s', (url, root) => {
  expect(rootFrom(url)).toBe(root);
});

describe('a server below a sub-path', () => {
  let api: Api;
  beforeAll(async () => {
    api = await openApi({}, { dashboardUrl: 'https://tarsy.example/tools/tarsy' });
    const page = '<!doctype html><script src="./assets/a.js"></script><link href="./assets/i.svg">';
    await writeFile(join(api.dashboardDir, 'index.html'), page);
  });
  afterAll(() => api.close());

  it.each([
    ['/sessions/1', '../assets/a.js'],
    ['/tools/tarsy/sessions/1/trace', '../../assets/a.js'],
    ['/tools/tarsy/', './assets/a.js'],
    ['/', './assets/a.js'],
  ])('gives the page at %s addresses that work there', async (path, script) => {
    const response = await fetch(`${api.url}${path}`);
    const text = await response.text();
    expect(text).toContain(`<script src="${script}">`);
    const etag = response.headers.get('etag')!;
    expect((await fetch(`${api.url}${path}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('adds the slash that relative addresses need', async () => {
    const response = await fetch(`${api.url}/tools/tarsy?status=FAILED`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([308, '/tools/tarsy/?status=FAILED']);
  });

  it.each(['/graphql', '/graphql/', '/tools/tarsy/graphql', '/tools/tarsy/graphql/'])(
    'serves the API at %s, with its checks of foreign pages',
    async (path) => {
      const body = JSON.stringify({ query: '{ __typename }' });
      const ask = (headers: Record<string, string>) =>
        fetch(`${api.url}${path}`, { method: 'POST', headers: { ...JSON_HEADERS, ...headers }, body });
      expect(await (await ask({})).json()).toEqual({ data: { __typename: 'Query' } });
      expect((await ask({ origin: 'https://evil.example' })).status).toBe(403);
      expect((await ask({ 'content-type': 'text/plain' })).status).toBe(415);
    },
  );

  it('serves WebSockets and health', async () => {
    const url = `ws://127.0.0.1:${api.port}/tools/tarsy/graphql`;
    const client = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
    const { value } = await client.iterate({ query: '{ __typename }' }).next();
    expect(value).toEqual({ data: { __typename: 'Query' } });
    await client.dispose();
    expect((await fetch(`${api.url}/tools/tarsy/health`)).status).toBe(200);
  });
});
