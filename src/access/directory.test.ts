import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { emptyTables, openTestPool } from '../../test/helpers/deliveries.ts';
import { insertRow } from '../../test/helpers/http-api.ts';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { createTransaction } from '../engine/store/database.ts';
import { createDirectory, type Directory, type GroupInput, type UserInput } from './directory.ts';
import { createEndedAccess, type EndedAccess } from './ended-access.ts';

const BY = { name: 'token:scim', via: 'TOKEN', address: null };

let database: TestDatabase;
let pool: pg.Pool;
let ended: EndedAccess;
let directory: Directory;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url);
  const logger = pino({ level: 'silent' });
  ended = createEndedAccess({ db: pool, signInMs: 3_600_000, logger });
  const transaction = createTransaction(pool, { publish: async () => {} });
  directory = createDirectory({ db: pool, transaction, ended, logger });
});
afterAll(async () => {
  await ended.close();
  await pool.end();
  await database.drop();
});
beforeEach(() => emptyTables(pool, 'directory_users, directory_groups, api_tokens, audit_events'));

const user = (userName: string, more: Partial<UserInput> = {}) =>
  directory.users.create({ userName, externalId: null, emails: [], isActive: true, ...more }, BY);
const group = (displayName: string, members: readonly string[]) =>
  directory.groups.create({ displayName, externalId: null, members }, BY);
const changeUser = (id: string, more: Partial<UserInput>) =>
  directory.users.change(id, (before) => ({ ...before, isActive: before.endedAt === null, ...more }), BY);
const changeGroup = (id: string, more: Partial<GroupInput>) =>
  directory.groups.change(id, (before) => ({ ...before, ...more }), BY);

/** Returns the names of the users who were signed out since their creation. */
async function signedOut(): Promise<string[]> {
  const { rows } = await pool.query(
    'select user_name from directory_users where signed_out_at is not null and ended_at is null order by 1',
  );
  return rows.map(({ user_name }) => user_name);
}

test('a user who is created again keeps the id of the deleted entry', async () => {
  const { id } = await user('ana', { externalId: 'a1' });
  await directory.users.remove(id, BY);
  await expect(directory.users.change(id, () => expect.fail('found'), BY)).rejects.toThrow('no entry');
  expect(await user('Ana')).toMatchObject({ id, userName: 'Ana', externalId: null, endedAt: null });
});

test('a user cannot take the name of another', async () => {
  await user('ana');
  const { id } = await user('bo');
  await expect(changeUser(id, { userName: 'ANA' })).rejects.toThrow('Another entry has this name.');
});

/** Stores a personal token of a user. @returns a function that reads whether it is suspended */
async function tokenOf(owner: string): Promise<() => Promise<boolean>> {
  await insertRow(pool, 'api_tokens', {
    ...{ name: 'mine', prefix: 'tarsy_1', hash: 'h', scopes: ['READ'], created_by: owner, owner },
    owner_names: [owner],
  });
  return async () => (await pool.query('select suspended_at from api_tokens')).rows[0].suspended_at !== null;
}

test.each([
  ['after the end', [{ isActive: false }, { userName: 'zz-ana' }]],
  ['with the end', [{ userName: 'zz-ana', isActive: false }]],
])('a user who gets another name %s has access under neither name', async (_when, changes) => {
  const isSuspended = await tokenOf('ana');
  const { id } = await user('ana');
  for (const change of changes) await changeUser(id, change);
  expect((await directory.users.list({ by: 'email', value: 'ana' }, { offset: 0, limit: 1 })).total).toBe(0);
  await directory.users.remove(id, BY);
  expect(await isSuspended()).toBe(true);
  expect(['ana', 'zz-ana'].map((name) => ended.isEnded({ name, email: null }, null))).toEqual([true, true]);
  await user('zz-ana');
  expect(await isSuspended()).toBe(false);
  expect(['ana', 'zz-ana'].map((name) => ended.isEnded({ name, email: null }, null))).toEqual([false, false]);
});

test.each([
  ['gets another name', { userName: 'ana-bo', emails: ['ana@example.com'] }],
  ['loses a name', { emails: [] }],
])('the tokens of a user who %s end with the access', async (_what, change) => {
  const isSuspended = await tokenOf('ana');
  const { id } = await user('ana-bo', { emails: ['ana'] });
  await changeUser(id, change);
  expect(await isSuspended()).toBe(false);
  await changeUser(id, { isActive: false });
  expect(await isSuspended()).toBe(true);
  await user('ana'); // another person, who now has the name
  expect(await isSuspended()).toBe(true);
});

test('a user is known as ended until another entry of the same name has access', async () => {
  const ana = { name: 'ana', email: null };
  await user('ana', { isActive: false });
  expect(ended.isEnded(ana, null)).toBe(true);
  await user('ana-now', { emails: ['Ana'] });
  expect(ended.isEnded(ana, null)).toBe(false);
});

test('a group that is renamed or deleted signs its members out, but no ended ones', async () => {
  const [ana, bo] = [await user('ana'), await user('bo')];
  const { id } = await group('oncall', [ana.id, bo.id]);
  await changeGroup(id, { externalId: 'g1' });
  expect(await signedOut()).toEqual([]);
  await changeGroup(id, { displayName: 'standby' });
  expect(await signedOut()).toEqual(['ana', 'bo']);
  await pool.query('update directory_users set signed_out_at = null');
  await changeUser(bo.id, { isActive: false });
  await directory.groups.remove(id, BY);
  expect(await signedOut()).toEqual(['ana']);
  const { rows } = await pool.query(
    `select detail from audit_events where action = 'user.sign_out' order by at, id`,
  );
  expect(rows.map(({ detail }) => detail)).toEqual([
    { group: 'oncall', users: ['ana', 'bo'] },
    { group: 'standby', users: ['ana'] },
  ]);
});

test('a group has no deleted members', async () => {
  const [ana, bo] = [await user('ana'), await user('bo')];
  await directory.users.remove(bo.id, BY);
  expect((await group('oncall', [ana.id.toUpperCase(), bo.id, 'nobody'])).members).toEqual([ana.id]);
});

test('a sign-in at the moment of a sign-out does not count', async () => {
  const [ana] = [await user('ana')];
  const { id } = await group('oncall', [ana.id]);
  await changeGroup(id, { members: [] });
  const { rows } = await pool.query('select signed_out_at from directory_users');
  const at = new Date(rows[0].signed_out_at);
  const identity = { name: 'Ana', email: null };
  expect(ended.isEnded(identity, at)).toBe(true);
  expect(ended.isEnded(identity, new Date(at.getTime() + 1))).toBe(false);
});
