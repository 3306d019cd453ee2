import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Internet, PUBLIC_ADDRESS, startInternet } from '../../test/helpers/internet.ts';
import type { RunbooksConfig } from '../config/types.ts';
import { createCache } from './cache.ts';
import { contentUrl, type GithubToken } from './github.ts';
import { createRunbooks } from './runbooks.ts';

let internet: Internet;
beforeAll(async () => {
  internet = await startInternet();
});
beforeEach(() => {
  internet.requests.length = 0;
  internet.pages.clear();
  internet.names.clear();
  for (const name of ['raw.githubusercontent.com', 'api.github.com'])
    internet.names.set(name, [PUBLIC_ADDRESS]);
});
afterAll(() => internet.close());

const logs: Record<string, unknown>[] = [];
const raised: unknown[] = [];

function create(
  config: Partial<RunbooksConfig> = {},
  mask = (text: string) => text,
  githubToken: GithubToken | null = null,
) {
  const logger = pino(
    {},
    { write: (line: string) => logs.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const rules = { allowedDomains: ['github.com'], allowHttp: false, privateHosts: [] };
  return createRunbooks({
    config: { repoUrl: null, cacheTtlMs: 60_000, ...rules, ...config },
    githubToken,
    mask,
    warnings: {
      raise: async (warning) => void raised.push(warning),
      clear: async () => void raised.push('clear'),
    },
    logger,
    network: internet.network,
  });
}

describe('an address on GitHub', () => {
  const raw = 'https://raw.githubusercontent.com/o/r';
  it.each([
    ['https://github.com/o/r/blob/main/a/b.md', `${raw}/main/a/b.md`],
    ['https://github.com/o/r/blob/main/a%20b.md?plain=1#L3', `${raw}/main/a%20b.md`],
    ['https://github.com/o/r/blob/feature/x/a.md', `${raw}/feature/x/a.md`],
    ['https://github.com/o/r/blob/refs/heads/main/a.md', `${raw}/refs/heads/main/a.md`],
    ['https://github.com/o/r/raw/v1.2/a.txt', `${raw}/v1.2/a.txt`],
    ['https://www.github.com/o/r/blob/main/a.md', `${raw}/main/a.md`],
    ['https://github.com/o/r/tree/main/alerts', `${raw}/main/alerts/README.md`],
    ['https://github.com/o/r/tree/main/alerts/', `${raw}/main/alerts/README.md`],
    ['https://github.com/o/r/tree/main/alerts/disk.md', `${raw}/main/alerts/disk.md`],
    ['https://github.com/o/r/tree/main', `${raw}/main/README.md`],
    ['https://github.com/o/r', `${raw}/HEAD/README.md`],
    [`${raw}/main/a.md`, `${raw}/main/a.md`],
    ['https://github.com/o/r/wiki/Page', 'https://github.com/o/r/wiki/Page'],
    ['https://github.com/o', 'https://github.com/o'],
    ['https://git.example/o/r/blob/main/a.md', 'https://git.example/o/r/blob/main/a.md'],
  ])('%s is read from %s', (page, file) => {
    expect(contentUrl(new URL(page)).href).toBe(file);
  });
});

describe('a runbook', () => {
  const PAGE = 'https://github.com/o/r/blob/main/a.md';
  const FILE = 'https://raw.githubusercontent.com/o/r/main/a.md';

  it('is fetched once for all callers within its cache time', async () => {
    internet.pages.set(FILE, 'steps');
    const runbooks = create();
    const texts = await Promise.all([runbooks.read(PAGE), runbooks.read(PAGE), runbooks.read(FILE)]);
    expect([...texts, await runbooks.read(PAGE)]).toEqual(Array(4).fill({ content: 'steps' }));
    expect(internet.requests).toHaveLength(1);
  });

  it('is masked, and not used if masking fails', async () => {
    internet.pages.set(FILE, 'secret steps');
    const mask = (text: string) => text.replace('secret', '[MASKED]');
    expect(await create({}, mask).read(PAGE)).toEqual({ content: '[MASKED] steps' });
    const failing = () => {
      throw new Error('secret steps could not be masked');
    };
    expect(await create({}, failing).read(PAGE)).toEqual({ problem: 'its secrets could not be masked' });
    expect(JSON.stringify(logs)).not.toContain('secret steps');
  });

  it('that is missing, or whose host is, reports a problem; the log has only its host', async () => {
    logs.length = 0;
    expect(await create().read(`${PAGE}?x=visible-nowhere`)).toEqual({
      problem: 'raw.githubusercontent.com does not have it (404)',
    });
    internet.names.clear();
    expect(await create().read(PAGE)).toEqual({ problem: 'raw.githubusercontent.com could not be reached' });
    expect(logs.map(({ level, host, code, cause }) => ({ level, host, code, cause }))).toEqual([
      { level: 40, host: 'github.com', code: 'NOT_FOUND', cause: undefined },
      { level: 40, host: 'github.com', code: 'UNREACHABLE', cause: 'ENOTFOUND' },
    ]);
    expect(JSON.stringify(logs)).not.toContain('visible-nowhere');
  });
});

describe('the list', () => {
  const repoUrl = 'https://github.com/o/r/tree/main/alerts';
  const TREE = 'https://api.github.com/repos/o/r/git/trees/main';
  const blob = (path: string, more = {}) => ({
    path,
    type: 'blob',
    mode: '100644',
    sha: 'x',
    url: 'x',
    ...more,
  });
  const tree = (...entries: object[]) => JSON.stringify({ sha: 'x', tree: entries, truncated: false });

  it('contains the Markdown files below the folder, sorted by path', async () => {
    internet.pages.set(
      TREE,
      tree(
        blob('README.md'),
        blob('alerts', { type: 'tree', mode: '040000' }),
        blob('alerts/network/DNS lookup.MD'),
        blob('alerts/disk.md'),
        blob('alerts/disk.png'),
        blob('alerts/link.md', { mode: '120000' }),
        blob('alerts-old/disk.md'),
      ),
    );
    const runbooks = create({ repoUrl });
    expect(await runbooks.list()).toEqual([
      { name: 'disk.md', url: 'https://github.com/o/r/blob/main/alerts/disk.md' },
      {
        name: 'network/DNS lookup.MD',
        url: 'https://github.com/o/r/blob/main/alerts/network/DNS%20lookup.MD',
      },
    ]);
    await runbooks.list();
    expect(internet.requests.map(({ url }) => url)).toEqual([`${TREE}?recursive=1`]);
  });

  it('of a whole repository uses its default branch', async () => {
    internet.pages.set('https://api.github.com/repos/o/r/git/trees/HEAD', tree(blob('a.md')));
    expect(await create({ repoUrl: 'https://github.com/o/r' }).list()).toEqual([
      { name: 'a.md', url: 'https://github.com/o/r/blob/HEAD/a.md' },
    ]);
  });

  it.each([
    [['o/r'], 'Bearer t'],
    [['o'], 'Bearer t'],
    [['other/r'], undefined],
  ])('is asked for with the token when %j is listed', async (repositories, expected) => {
    internet.pages.set(TREE, tree(blob('alerts/disk.md')));
    await create({ repoUrl }, undefined, { token: 't', repositories }).list();
    expect(internet.requests.map(({ headers }) => headers.authorization)).toEqual([expected]);
  });

  it('is empty without a configured folder, and no request is sent', async () => {
    expect(await create().list()).toEqual([]);
    expect(internet.requests).toEqual([]);
  });

  it.each([
    [
      'rate limits',
      (res: import('node:http').ServerResponse) => res.writeHead(403).end('{"message":"slow down"}'),
    ],
    ['something else', (res: import('node:http').ServerResponse) => res.end('{"message":"hello"}')],
    ['no JSON', (res: import('node:http').ServerResponse) => res.end('<html>')],
  ])('is empty when GitHub answers %s, and the log says why', async (_, answer) => {
    logs.length = 0;
    raised.length = 0;
    internet.pages.set(TREE, (_req, res) => void answer(res));
    expect(await create({ repoUrl }).list()).toEqual([]);
    expect(logs).toMatchObject([{ level: 40, code: 'BAD_ANSWER' }]);
    expect(raised).toMatchObject([
      { category: 'runbooks', message: `The runbooks at ${repoUrl} cannot be listed` },
    ]);
  });
});

describe('the cache', () => {
  it('expires entries, failures sooner, and evicts the oldest when full', async () => {
    let time = 0;
    let loads = 0;
    const cache = createCache<number>({ ttlMs: 100, failureTtlMs: 10, maxEntries: 2, now: () => time });
    const load = async () => ++loads;
    const fail = () => Promise.reject(new Error(`failure ${++loads}`));
    expect([await cache.get('a', load), await cache.get('a', load)]).toEqual([1, 1]);
    time = 100;
    expect(await cache.get('a', load)).toBe(2);
    await expect(cache.get('b', fail)).rejects.toThrow('failure 3');
    await expect(cache.get('b', load)).rejects.toThrow('failure 3');
    time = 110;
    expect(await cache.get('b', load)).toBe(4);
    expect(await cache.get('c', load)).toBe(5); // evicts a, the oldest
    expect(await cache.get('a', load)).toBe(6);
  });
});
