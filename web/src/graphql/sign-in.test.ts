import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createSignIn, SignedOutError } from './sign-in.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Starts a server that acts as a proxy or as the API. `answer` may change between requests. */
async function serve(answer: (res: ServerResponse) => void) {
  const front = { answer, asked: 0 };
  const server = createServer((_req, res) => {
    front.asked += 1;
    front.answer(res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  return { front, url, signIn: createSignIn(url) };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const ok = (res: ServerResponse) => void res.writeHead(200, JSON_TYPE).end('{"data":{}}');
const refusal = (res: ServerResponse) => void res.writeHead(401, JSON_TYPE).end('{}');

describe('is signed out after', () => {
  it.each<[string, (res: ServerResponse) => void]>([
    ['401', refusal],
    ['a redirect', (res) => void res.writeHead(302, { location: 'https://login.example.com' }).end()],
    ['an HTML page with status 403', (res) => void res.writeHead(403, HTML).end('<form>')],
    ['an HTML page instead of an answer', (res) => void res.writeHead(200, HTML).end('<form>')],
  ])('%s', async (_what, answer) => {
    const { url, signIn } = await serve(answer);
    await expect(signIn.fetch(url, { method: 'POST' })).rejects.toThrow(SignedOutError);
    expect(signIn.isSignedOut()).toBe(true);
  });
});

describe('is not signed out after', () => {
  it.each<[string, (res: ServerResponse) => void, number]>([
    ['an answer', ok, 200],
    ['a refusal by the API', (res) => void res.writeHead(403, JSON_TYPE).end('{}'), 403],
    ['a proxy error while the server is down', (res) => void res.writeHead(502, HTML).end('<h1>'), 502],
    ['an HTML page with status 404', (res) => void res.writeHead(404, HTML).end('<h1>'), 404],
  ])('%s', async (_what, answer, status) => {
    const { url, signIn } = await serve(answer);
    expect((await signIn.fetch(url, { method: 'POST' })).status).toBe(status);
    expect(signIn.isSignedOut()).toBe(false);
  });
});

it('is signed in again after the next API answer, not after an answer of a proxy', async () => {
  const { front, url, signIn } = await serve(refusal);
  const changes: boolean[] = [];
  signIn.onChange(() => changes.push(signIn.isSignedOut()));
  await signIn.fetch(url).catch(() => undefined);
  front.answer = (res) => void res.writeHead(502, HTML).end();
  await signIn.fetch(url);
  expect(signIn.isSignedOut()).toBe(true);
  front.answer = ok;
  await signIn.fetch(url);
  expect(changes).toEqual([true, false]);
});

it('checks the sign-in on request, and whether the API answers', async () => {
  const { front, signIn } = await serve(refusal);
  expect(await signIn.check()).toBe(false);
  expect(signIn.isSignedOut()).toBe(true);
  front.answer = ok;
  expect(await signIn.check()).toBe(true);
  expect(signIn.isSignedOut()).toBe(false);
  front.answer = (res) => void res.destroy();
  expect(await signIn.check()).toBe(false);
  expect(signIn.isSignedOut()).toBe(false);
  front.answer = (res) => void res.writeHead(503, JSON_TYPE).end('{}');
  expect(await signIn.check()).toBe(false);
  front.answer = (res) => void res.writeHead(404, HTML).end('<h1>');
  expect(await signIn.check()).toBe(false);
});
