import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Internet,
  type Page,
  PUBLIC_ADDRESS,
  redirect,
  startInternet,
} from '../../test/helpers/internet.ts';
import type { RunbooksConfig } from '../config/types.ts';
import { createRunbooks } from './runbooks.ts';

const START = 'https://docs.example/a.md';
const TOKEN = 'ghp_0000000000000000000000000000000000aa';

let internet: Internet;
beforeAll(async () => {
  internet = await startInternet();
});
beforeEach(() => {
  internet.trapped.length = 0;
  internet.requests.length = 0;
  internet.resolved.length = 0;
  internet.pages.clear();
  internet.names.clear();
  for (const name of ['docs.example', 'other.example', 'evil.example', 'raw.githubusercontent.com'])
    internet.names.set(name, [PUBLIC_ADDRESS]);
  internet.names.set('git.internal', ['10.0.0.7']);
});
afterAll(() => internet.close());

const read = (url: string, rules: Partial<RunbooksConfig> = {}, tokenRepositories = ['o/r']) =>
  createRunbooks({
    config: {
      repoUrl: null,
      cacheTtlMs: 0,
      allowedDomains: ['docs.example', 'other.example', 'github.com'],
      allowHttp: false,
      privateHosts: [],
      ...rules,
    },
    githubToken: { token: TOKEN, repositories: tokenRepositories },
    mask: (text) => text,
    warnings: { raise: async () => {}, clear: async () => {} },
    logger: pino({ level: 'silent' }),
    network: internet.network,
  }).read(url);

const urls = () => internet.requests.map(({ url }) => url);

describe('a redirect', () => {
  it('to an allowed host is followed, from name to name', async () => {
    internet.pages.set(START, redirect('/b.md', 301));
    internet.pages.set('https://docs.example/b.md', redirect('//other.example/c.md', 307));
    internet.pages.set('https://other.example/c.md', 'found');
    expect(await read(START)).toEqual({ content: 'found' });
    expect(internet.resolved).toEqual(['docs.example', 'docs.example', 'other.example']);
  });

  it.each([
    ['to a host that is not allowed', 'https://evil.example/a.md'],
    ['to a host without a scheme', '//evil.example/a.md'],
    ['with backslashes', '\\\\evil.example\\a.md'],
    ['to the loopback address', 'https://127.0.0.1/a.md'],
    ['to the metadata service', 'https://169.254.169.254/latest/meta-data/'],
    ['to the metadata service as a number', 'https://2852039166/latest/meta-data/'],
    ['to an IPv6 address', 'https://[::1]/a.md'],
    ['to a mapped address', 'https://[::ffff:10.0.0.1]/a.md'],
    ['to a name of the inside', 'https://git.internal/a.md'],
    ['without encryption', 'http://docs.example/a.md'],
    ['to another port', 'https://docs.example:8443/a.md'],
    ['with a password', 'https://user:pass@docs.example/a.md'],
    ['to a file', 'file:///etc/passwd'],
    ['to data', 'data:text/plain,run'],
    ['to a script', 'javascript:alert(1)'],
    ['to the API of GitHub', 'https://api.github.com/user'],
  ])('%s is not followed', async (_, location) => {
    internet.pages.set(START, redirect(location));
    expect(await read(START)).toHaveProperty('problem');
    expect(urls()).toEqual([START]);
    expect(internet.trapped).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])('of status %i is also checked on its last hop', async (status) => {
    internet.pages.set(START, redirect('/b.md', status));
    internet.pages.set('https://docs.example/b.md', redirect('https://other.example/c.md', status));
    internet.pages.set('https://other.example/c.md', redirect('https://git.internal/d.md', status));
    expect(await read(START)).toHaveProperty('problem');
    expect(internet.requests).toHaveLength(3);
    expect(internet.trapped).toEqual([]);
  });

  it('to an allowed name with a private address is not followed', async () => {
    internet.names.set('other.example', ['192.168.0.1']);
    internet.pages.set(START, redirect('https://other.example/c.md'));
    expect(await read(START)).toEqual({ problem: 'other.example does not lead to a public address' });
    expect(internet.trapped).toEqual([]);
  });

  it('from https to http is not followed even where http is allowed', async () => {
    internet.pages.set(START, redirect('http://docs.example/b.md'));
    internet.pages.set('http://docs.example/b.md', 'found');
    expect(await read(START, { allowHttp: true })).toHaveProperty('problem');
    expect(await read('http://docs.example/b.md', { allowHttp: true })).toEqual({ content: 'found' });
  });

  it('from a private host to another private address is not followed', async () => {
    internet.names.set('git.internal', [PUBLIC_ADDRESS]);
    internet.pages.set('https://git.internal/a.md', redirect('https://10.0.0.1/b.md'));
    const problem = await read('https://git.internal/a.md', { privateHosts: ['git.internal'] });
    expect(problem).toHaveProperty('problem');
    expect(internet.trapped).toEqual([]);
  });

  it('without end is aborted', async () => {
    internet.pages.set(START, redirect(START));
    expect(await read(START)).toEqual({ problem: 'docs.example redirects more than 5 times' });
    expect(internet.requests).toHaveLength(6);
  });

  it('without a target is an error', async () => {
    internet.pages.set(START, (_req, res) => res.writeHead(302).end());
    expect(await read(START)).toHaveProperty('problem');
  });
});

describe('a name that changes its addresses', () => {
  /** Makes `name` resolve to a public address at first and to the address `then` later (DNS rebinding). */
  function rebinding(name: string, then: string): void {
    let asked = 0;
    internet.names.set(name, () => [asked++ === 0 ? PUBLIC_ADDRESS : then]);
  }

  it.each(['127.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1'])(
    'to %s is resolved once, and connected to where the check looked',
    async (address) => {
      rebinding('docs.example', address);
      internet.pages.set(START, 'found');
      expect(await read(START)).toEqual({ content: 'found' });
      expect(internet.resolved).toEqual(['docs.example']);
      expect(internet.trapped).toEqual([]);
    },
  );

  it('between two hops is checked again', async () => {
    rebinding('docs.example', '127.0.0.1');
    internet.pages.set(START, redirect('/b.md'));
    internet.pages.set('https://docs.example/b.md', 'found');
    expect(await read(START)).toEqual({ problem: 'docs.example does not lead to a public address' });
    expect(internet.trapped).toEqual([]);
  });

  it('between two fetches is checked again', async () => {
    rebinding('docs.example', '10.0.0.1');
    internet.pages.set(START, 'found');
    expect(await read(START)).toEqual({ content: 'found' });
    expect(await read(START)).toHaveProperty('problem');
    expect(internet.trapped).toEqual([]);
  });
});

describe('the token', () => {
  const RAW = 'https://raw.githubusercontent.com/o/r/main/a.md';

  it('is sent to GitHub', async () => {
    internet.pages.set(RAW, 'found');
    expect(await read('https://github.com/o/r/blob/main/a.md')).toEqual({ content: 'found' });
    expect(internet.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      [RAW, `Bearer ${TOKEN}`],
    ]);
  });

  it.each([
    ['to an allowed host', START, START],
    ['to a host that GitHub sends to', RAW, 'https://other.example/b.md'],
    ['without encryption', 'http://docs.example/a.md', 'http://docs.example/a.md'],
  ])('does not go %s', async (_, first, last) => {
    if (first !== last) internet.pages.set(first, redirect(last));
    internet.pages.set(last, 'found');
    expect(await read(first, { allowHttp: true })).toEqual({ content: 'found' });
    expect(internet.requests.at(-1)?.url).toBe(last);
    expect(internet.requests.at(-1)?.headers.authorization).toBeUndefined();
  });

  it.each([
    ['a repository that is listed', ['o/r'], 'o/r/main/a.md', true],
    ['… in other letters', ['O/R'], 'o/r/main/a.md', true],
    ['any repository of an owner that is listed', ['O'], 'o/r/main/a.md', true],
    ['another repository of the owner', ['o/other'], 'o/r/main/a.md', false],
    ['a repository whose name begins alike', ['o/r'], 'o/r2/main/a.md', false],
    ['another owner', ['o'], 'o2/r/main/a.md', false],
    ['nowhere when nothing is listed', [], 'o/r/main/a.md', false],
    ['a path that leaves the repository', ['o/r'], 'o/r/main/..%2F..%2F..%2Fother/private/a.md', false],
    ['a path that begins with nothing', ['o/r'], '/o/r/main/a.md', false],
  ])('goes to %s, or does not', async (_, listed, path, expected) => {
    const url = `https://raw.githubusercontent.com/${path}`;
    internet.pages.set(url, 'found');
    expect(await read(url, {}, listed)).toEqual({ content: 'found' });
    expect(internet.requests.at(-1)?.headers.authorization !== undefined).toBe(expected);
  });

  it('does not follow a redirect to a repository that is not listed', async () => {
    const other = 'https://raw.githubusercontent.com/o/private/main/a.md';
    internet.pages.set(RAW, redirect(other));
    internet.pages.set(other, 'found');
    expect(await read(RAW)).toEqual({ content: 'found' });
    expect(internet.requests.map(({ headers }) => headers.authorization !== undefined)).toEqual([
      true,
      false,
    ]);
  });
});

describe('a response', () => {
  const text =
    (body: string | Buffer, headers: Record<string, string> = {}): Page =>
    (_req, res) =>
      res.writeHead(200, { 'content-type': 'text/plain', ...headers }).end(body);

  it('is decompressed', async () => {
    internet.pages.set(START, text(gzipSync('# Runbook é'), { 'content-encoding': 'gzip' }));
    expect(await read(START)).toEqual({ content: '# Runbook é' });
  });

  it('of the maximum size is accepted', async () => {
    internet.pages.set(START, text('x'.repeat(256 * 1024)));
    expect(await read(START)).toEqual({ content: 'x'.repeat(256 * 1024) });
  });

  it.each<[string, Page]>([
    ['a byte larger', text('x'.repeat(256 * 1024 + 1))],
    ['without end', (_req, res) => pour(res.writeHead(200, { 'content-type': 'text/plain' }))],
    ['that unpacks to a thousand times its size', text(bomb(), { 'content-encoding': 'gzip' })],
    ['packed in another way', text('x', { 'content-encoding': 'br' })],
    ['packed, that is not', text('not gzip', { 'content-encoding': 'gzip' })],
    ['that is a page without text', text('<html>', { 'content-type': 'text/html; charset=utf-8' })],
    ['that is a picture', text('x', { 'content-type': 'image/png' })],
    ['that is not UTF-8', text(Buffer.from([0x66, 0xff, 0xfe]))],
    ['with a NUL', text('a\0b')],
    [
      'that breaks off',
      (_req, res) => res.writeHead(200, { 'content-length': '9' }).write('x', () => res.destroy()),
    ],
    ['that is an error', (_req, res) => res.writeHead(500).end('no')],
    ['that is none', (req) => req.socket.destroy()],
  ])('%s is refused', async (_, page) => {
    internet.pages.set(START, page);
    expect(await read(START)).toHaveProperty('problem');
  });
});

/** Concatenated gzip members of 64 MiB of zeros, cut to the allowed size. */
function bomb(): Buffer {
  const member = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  return Buffer.concat(Array.from({ length: 16 }, () => member)).subarray(0, 250 * 1024);
}

/** Writes an endless response as long as the client reads. */
function pour(res: NodeJS.WritableStream & { destroyed?: boolean }): void {
  const piece = 'x'.repeat(64 * 1024);
  const more = () => {
    while (!res.destroyed && res.write(piece));
  };
  res.on('drain', more);
  more();
}
