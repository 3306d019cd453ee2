import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/helpers/postgres.ts';
import { maybeSamePerson, readSamePerson } from './same-person.ts';
import { createToken } from './tokens.ts';

test.each([
  ['ana', 'ana', true],
  ['Ana@Example.com', 'ana@example.com', true],
  ['ana', 'ana@example.com', true],
  ['ANA@example.com', 'ana', true],
  ['ana@example.com', 'ana@other.example', false],
  ['ana', 'anna@example.com', false],
  ['an', 'ana@example.com', false],
  ['', '@example.com', false],
  ['token:ci', 'ci@example.com', false],
])('%s and %s: %s', (one, other, expected) => {
  expect(maybeSamePerson(one, other)).toBe(expected);
  expect(maybeSamePerson(other, one)).toBe(expected);
});

test('takes a personal token for its owner, and a service token for a person of its own', async () => {
  const database = await createTestDatabase();
  const sql = new pg.Pool({ connectionString: database.url, max: 1 });
  const bo = { name: 'Bo', names: ['bo', 'robert@example.com'] };
  try {
    for (const [name, owner] of [
      ['laptop', bo],
      ['phone', bo],
      ['bot', null],
    ] as const) {
      const token = { name, scopes: ['APPROVE'], team: null, expiresAt: null, owner } as const;
      await createToken(sql, token, { name: 'Bo', via: 'PROXY', address: null });
    }
    const names = ['Bo', 'robert@example.com', 'ana', 'token:laptop', 'token:phone', 'token:bot'];
    const isSame = await readSamePerson(sql, names);
    for (const one of ['Bo', 'robert@example.com', 'token:phone'])
      expect([isSame(one, 'token:laptop'), isSame('token:laptop', one)], one).toEqual([true, true]);
    for (const other of ['ana', 'token:bot']) expect(isSame('token:laptop', other), other).toBe(false);
    expect(isSame('Bo', 'token:bot')).toBe(false);
  } finally {
    await sql.end();
    await database.drop();
  }
});
