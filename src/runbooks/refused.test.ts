import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { INSIDE_ADDRESSES, REFUSED_URLS } from '../../test/fixtures/runbooks/refused.ts';
import { type Internet, PUBLIC_ADDRESS, startInternet } from '../../test/helpers/internet.ts';
import { ValidationError } from '../common/errors.ts';
import type { RunbooksConfig } from '../config/types.ts';
import { addressKind } from './addresses.ts';
import { createRunbooks } from './runbooks.ts';
import { checkRunbookUrl } from './url.ts';

const RULES: RunbooksConfig = {
  repoUrl: null,
  cacheTtlMs: 0,
  allowedDomains: ['github.com', 'raw.githubusercontent.com'],
  allowHttp: false,
  privateHosts: [],
  tokens: [],
};

let internet: Internet;
beforeAll(async () => {
  internet = await startInternet();
});
beforeEach(() => {
  internet.trapped.length = 0;
  internet.requests.length = 0;
  internet.names.clear();
});
afterAll(() => internet.close());

const read = (url: string, rules: Partial<RunbooksConfig> = {}) =>
  createRunbooks({
    config: { ...RULES, ...rules },
    githubToken: null,
    mask: (text) => text,
    warnings: { raise: async () => {}, clear: async () => {} },
    logger: pino({ level: 'silent' }),
    network: internet.network,
  }).read(url);

describe('a refused URL', () => {
  it('is one of more than a hundred cases', () => {
    expect(new Set(REFUSED_URLS).size).toBeGreaterThanOrEqual(130);
  });

  it.each(REFUSED_URLS)('%j is refused at submission', (url) => {
    expect(() => checkRunbookUrl(url, RULES)).toThrow(ValidationError);
    try {
      checkRunbookUrl(url, RULES);
    } catch (error) {
      expect(error).toMatchObject({ code: 'VALIDATION', field: 'runbookUrl' });
    }
  });

  it.each(REFUSED_URLS)('%j is not fetched even if it is stored', async (url) => {
    const { hostname } = URL.parse(url) ?? { hostname: '' };
    internet.names.set(hostname, [PUBLIC_ADDRESS]); // so that only the check of the URL can refuse the fetch
    expect(await read(url)).toHaveProperty('problem');
    expect({ trapped: internet.trapped, requests: internet.requests }).toEqual({ trapped: [], requests: [] });
  });

  it('an empty list allows nothing', async () => {
    const url = 'https://github.com/o/r/blob/main/a.md';
    const rules = { ...RULES, allowedDomains: [] };
    expect(() => checkRunbookUrl(url, rules)).toThrow(
      'Runbooks from github.com are not allowed. Allowed: none.',
    );
    expect(await read(url, { allowedDomains: [] })).toHaveProperty('problem');
  });

  // IP addresses that are not public stay refused even if the allow-list names them.
  const literals = REFUSED_URLS.filter((url) => /^(?:\[|[\d.]+$)/.test(URL.parse(url)?.hostname ?? ''));
  it.each(literals)('%j is not fetched when the allow-list names it', async (url) => {
    const { hostname } = new URL(url);
    expect(await read(url, { allowedDomains: [hostname], allowHttp: true })).toHaveProperty('problem');
    expect(() => checkRunbookUrl(url, { ...RULES, allowedDomains: [hostname] })).toThrow(ValidationError);
    expect(internet.trapped).toEqual([]);
  });
});

describe('an allowed name', () => {
  it.each(INSIDE_ADDRESSES)('that resolves to %s is not contacted', async (address, kind) => {
    expect(addressKind(address)).toBe(kind);
    internet.names.set('raw.githubusercontent.com', [address]);
    expect(await read('https://github.com/o/r/blob/main/a.md')).toEqual({
      problem: 'raw.githubusercontent.com does not lead to a public address',
    });
    expect(internet.trapped).toEqual([]);
  });

  it.each(INSIDE_ADDRESSES)(
    'that resolves to %s besides a public address is not, either',
    async (address) => {
      for (const addresses of [
        [PUBLIC_ADDRESS, address],
        [address, PUBLIC_ADDRESS],
      ]) {
        internet.names.set('raw.githubusercontent.com', addresses);
        expect(await read('https://github.com/o/r/blob/main/a.md')).toHaveProperty('problem');
      }
      expect(internet.trapped).toEqual([]);
    },
  );

  it.each(['8.8.8.8', '140.82.112.3', '2606:50c0:8000::154', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])(
    'that resolves to %s is',
    (address) => {
      expect(addressKind(address)).toBe('PUBLIC');
    },
  );
});

describe('a private host listed by the operator', () => {
  const own = { privateHosts: ['git.internal'] };

  it('is contacted, which proves that the tests above could fail', async () => {
    internet.names.set('git.internal', ['10.0.0.7']);
    expect(await read('https://git.internal/raw/a.md', own)).toEqual({ content: 'a secret of the inside' });
    expect(internet.trapped).toEqual(['git.internal 10.0.0.7']);
  });

  it.each(INSIDE_ADDRESSES.filter(([, kind]) => kind === 'FORBIDDEN'))(
    'is not when it resolves to %s',
    async (address) => {
      internet.names.set('git.internal', [address]);
      expect(await read('https://git.internal/raw/a.md', own)).toHaveProperty('problem');
      expect(internet.trapped).toEqual([]);
    },
  );

  it.each([
    ['https://git.internal:8443/a.md', false],
    ['http://git.internal/a.md', false],
    ['https://www.git.internal/a.md', false],
    ['https://git.internal:9443/a.md', true],
  ])('%s: allowed is %s', (url, isAllowed) => {
    const check = () =>
      checkRunbookUrl(url, { ...RULES, privateHosts: ['git.internal', 'git.internal:9443'] });
    if (isAllowed) expect(check().href).toBe(url);
    else expect(check).toThrow(ValidationError);
  });
});
