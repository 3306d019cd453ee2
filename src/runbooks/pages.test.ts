import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Internet,
  type Page,
  PUBLIC_ADDRESS,
  redirect,
  startInternet,
} from '../../test/helpers/internet.ts';
import { createRunbooks } from './runbooks.ts';

const TOKENS = [
  { host: 'git.example', token: 'token-of-git', paths: ['org/runbooks', 'ops'] },
  { host: 'wiki.example', token: 'token-of-wiki', paths: ['wiki'] },
];

let internet: Internet;
beforeAll(async () => {
  internet = await startInternet();
  for (const name of ['git.example', 'wiki.example', 'login.example'])
    internet.names.set(name, [PUBLIC_ADDRESS]);
});
beforeEach(() => {
  internet.pages.clear();
  internet.requests.length = 0;
});
afterAll(() => internet.close());

const read = (url: string, hostTokens = TOKENS) =>
  createRunbooks({
    config: {
      ...{ repoUrl: null, cacheTtlMs: 0, allowHttp: true, privateHosts: [] },
      allowedDomains: ['git.example', 'wiki.example'],
    },
    githubToken: null,
    hostTokens,
    mask: (text) => text,
    warnings: { raise: async () => {}, clear: async () => {} },
    logger: pino({ level: 'silent' }),
    network: internet.network,
  }).read(url);

const page =
  (body: string | Buffer, type = 'text/html; charset=utf-8', status = 200): Page =>
  (_req, res) =>
    res.writeHead(status, { 'content-type': type }).end(body);
const sent = () => internet.requests.map(({ url, headers }) => [url, headers.authorization ?? null]);

describe('a page of a file', () => {
  it.each([
    ['GitLab', '/team/sub/repo/-/blob/main/disk.md', '/team/sub/repo/-/raw/main/disk.md'],
    ['GitLab with a ref type', '/t/r/-/blob/main/d.md?ref_type=heads', '/t/r/-/raw/main/d.md?ref_type=heads'],
    ['GitHub Enterprise', '/org/repo/blob/main/a/disk.md', '/org/repo/raw/main/a/disk.md'],
    ['Gitea', '/org/repo/src/branch/main/disk.md', '/org/repo/raw/branch/main/disk.md'],
    ['a raw file', '/team/repo/-/raw/main/disk.md', '/team/repo/-/raw/main/disk.md'],
    ['another page', '/docs/blob/disk', '/docs/blob/disk'],
  ])('of %s leads to its file', async (_, from, to) => {
    internet.pages.set(`https://git.example${to.split('?')[0]}`, 'Look.');
    expect(await read(`https://git.example${from}`)).toEqual({ content: 'Look.' });
    expect(sent()).toEqual([[`https://git.example${to}`, null]]);
  });

  it('of GitHub Enterprise is read from the API with a token', async () => {
    const file = 'https://git.example/api/v3/repos/org/runbooks/contents/a/disk.md';
    internet.pages.set(file, page('Look.', 'application/vnd.github.raw; charset=utf-8'));
    expect(await read('https://git.example/org/runbooks/blob/v1%232/a/disk.md')).toEqual({
      content: 'Look.',
    });
    expect(sent()).toEqual([[`${file}?ref=v1%232`, 'Bearer token-of-git']]);
    expect(internet.requests[0]?.headers.accept).toContain('application/vnd.github.raw');
  });
});

describe('the token of a host', () => {
  it.each([
    ['its host and path', 'https://git.example/ops/x/-/raw/main/disk.md', 'Bearer token-of-git'],
    ['its path in other letters', 'https://git.example/Org/Runbooks/raw/main/disk.md', 'Bearer token-of-git'],
    ['another repository', 'https://git.example/org/secrets/raw/main/disk.md', null],
    ['a repository that begins alike', 'https://git.example/org/runbooks-2/raw/disk.md', null],
    ['an encoded way out of the path', 'https://git.example/ops/%2e%2e%2forg/secrets/disk.md', null],
    ['its path on another host', 'https://wiki.example/ops/disk.md', null],
    ['an address without encryption', 'http://git.example/ops/disk.md', null],
  ])('for %s', async (_, url, expected) => {
    await read(url);
    expect(sent().map(([, authorization]) => authorization)).toEqual([expected]);
  });

  it('does not follow a redirect to another host or path', async () => {
    internet.pages.set('https://git.example/ops/a', redirect('https://wiki.example/ops/b'));
    internet.pages.set('https://wiki.example/ops/b', redirect('https://git.example/org/secrets'));
    internet.pages.set('https://git.example/org/secrets', 'Look.');
    expect(await read('https://git.example/ops/a')).toEqual({ content: 'Look.' });
    expect(sent().map(([, authorization]) => authorization)).toEqual(['Bearer token-of-git', null, null]);
  });
});

const WIKI = 'https://wiki.example/wiki/spaces/OPS/pages/1/Disk';

describe('a web page', () => {
  it('is read as text', async () => {
    internet.pages.set(WIKI, page('<main><h1>Disk</h1><p>Look.</p></main>'));
    expect(await read(WIKI)).toEqual({ content: '# Disk\n\nLook.' });
    expect(sent()).toEqual([[WIKI, 'Bearer token-of-wiki']]);
  });

  it.each([
    ['its content type', page(Buffer.from('<p>Größe', 'latin1'), 'text/html; charset=ISO-8859-1')],
    ['the page', page(Buffer.from('<meta charset="latin1"><p>Größe', 'latin1'), 'text/html')],
    ['neither', page('<p>Größe', 'application/xhtml+xml')],
  ])('has the character encoding that %s names', async (_, answer) => {
    internet.pages.set(WIKI, answer);
    expect(await read(WIKI)).toEqual({ content: 'Größe' });
  });

  it('may be larger than its text, up to 5 MiB', async () => {
    const MIB5 = 5 * 1024 * 1024;
    const style = (size: number) => `<p>Look.</p><style>${'x'.repeat(size)}`;
    internet.pages.set(WIKI, page(style(MIB5 - style(0).length)));
    expect(await read(WIKI)).toEqual({ content: 'Look.' });
    internet.pages.set(WIKI, page(style(MIB5)));
    expect(await read(WIKI)).toMatchObject({ problem: expect.stringContaining('too large') });
    internet.pages.set(WIKI, page('x'.repeat(256 * 1024 + 1)));
    expect(await read(WIKI)).toEqual({ problem: 'it is larger than 256 KiB' });
  });

  it('sent as text stays as it is', async () => {
    internet.pages.set(WIKI, '<main>Look.</main>');
    expect(await read(WIKI)).toEqual({ content: '<main>Look.</main>' });
  });
});

describe('a sign-in is not read as the runbook', () => {
  it.each<[string, Page, string]>([
    ['by status 401', page('Sign in', 'text/html', 401), 'wiki.example requires a sign-in (401)'],
    ['by status 403', page('Sign in', 'text/html', 403), 'wiki.example answered 403'],
    ['by a form', page('Sign in<input type="password">'), 'the page is a sign-in page, not a runbook'],
    [
      'at another host',
      redirect('https://login.example/oauth?secret=1'),
      'it redirects to login.example, perhaps to sign in. Runbooks from login.example are not allowed. Allowed: git.example, wiki.example.',
    ],
  ])('%s', async (_, answer, problem) => {
    internet.pages.set(WIKI, answer);
    expect(await read(WIKI)).toEqual({ problem });
  });
});
