import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { emptyTables } from '../../test/helpers/deliveries.ts';
import { insertRow } from '../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../test/helpers/postgres.ts';
import type { TokenScope } from '../db/enums.ts';
import { findTokenId, listTokens, removeEndedTokens, submitterOf } from './tokens.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());
beforeEach(() => emptyTables(pool, 'api_tokens'));

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const insert = (name: string, more: Record<string, unknown> = {}) =>
  insertRow(pool, 'api_tokens', {
    ...{ name, prefix: 'tarsy_1', hash: crypto.randomUUID(), scopes: ['READ'], created_by: 'ana' },
    ...more,
  });

test('a name stands for the active token, or else for a revoked one', async () => {
  const revoked = await insert('ci', { revoked_at: daysAgo(1) });
  expect(await findTokenId(pool, ' ci ')).toBe(revoked);
  const active = await insert('ci');
  await insert('ci', { expires_at: daysAgo(1) });
  expect(await findTokenId(pool, 'ci')).toBe(active);
  expect(await findTokenId(pool, revoked.toUpperCase())).toBe(revoked);
  await insert('ci');
  await expect(findTokenId(pool, 'ci')).rejects.toThrow('Several active tokens have this name');
  await expect(findTokenId(pool, 'cd')).rejects.toThrow('No token has this name or id.');
});

test('tokens that were revoked or expired for long are deleted', async () => {
  await insert('revoked', { revoked_at: daysAgo(31) });
  await insert('expired', { expires_at: daysAgo(31) });
  await insert('active');
  await insert('just revoked', { revoked_at: daysAgo(29) });
  await insert('just expired', { expires_at: daysAgo(29) });
  await removeEndedTokens(pool, 30);
  expect((await listTokens(pool)).map(({ name }) => name).sort()).toEqual([
    'active',
    'just expired',
    'just revoked',
  ]);
});

test('only a token with SUBMIT_ALERTS sends alerts, for its team or for none', async () => {
  const submitter = (scopes: TokenScope[], team: string | null) => {
    const held = { id: '1', name: 'ci', scopes, team, expiresAt: null };
    return submitterOf({ find: async (token) => (token === 'known' ? held : null) }, 'known');
  };
  expect(await submitter(['SUBMIT_ALERTS'], 'shop')).toEqual({ team: 'shop' });
  expect(await submitter(['ADMIN'], null)).toEqual({ team: null });
  expect(await submitter(['SUBMIT_ALERTS'], '*')).toEqual({ team: null });
  expect(await submitter(['READ', 'CHAT'], 'shop')).toBeNull();
});
