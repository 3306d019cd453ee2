import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTokens } from '../../src/access/tokens.ts';
import { UNNAMED } from '../../src/access/viewer.ts';
import { createTransaction } from '../../src/engine/store/database.ts';
import { type Api, NO_AUTH, openApi } from '../helpers/http-api.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi({}, { auth: { ...NO_AUTH, mode: 'proxy' } });
});
afterAll(() => api.close());

test('a token is suspended from the start if the access of its creator has just ended', async () => {
  await api.pool.query(
    `insert into directory_users (id, user_name, emails, names, ended_at)
     values (gen_random_uuid(), 'Zoe', '{}', '{zoe}', now())`,
  );
  const transaction = createTransaction(api.pool, { publish: async () => {} });
  const tokens = createTokens({ db: api.pool, transaction, teams: null, logger: api.logger });
  const zoe = { ...UNNAMED, name: 'Zoe', via: 'PROXY', role: 'ADMIN', teams: null, approves: [] } as const;
  const wanted = { name: 'zoe', scopes: ['READ'], team: null, expiresAt: null, isService: false } as const;
  const made = await tokens.create(wanted, { ...zoe, rights: new Set(['ADMIN']) });
  expect(made.token).toMatchObject({ owner: 'Zoe', suspendedAt: expect.any(Date) });
  const headers = { authorization: `Bearer ${made.secret}` };
  expect(await api.query('{ viewer { name } }', {}, headers)).toMatchObject({
    ...{ status: 401, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
  });
});
