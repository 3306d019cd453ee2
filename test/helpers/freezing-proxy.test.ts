import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FreezingProxy, openFreezingProxy } from './freezing-proxy.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

/** Time after which an answer counts as missing (ms). */
const NEVER_MS = 200;

let database: TestDatabase;
let proxy: FreezingProxy;
let clients: pg.Client[];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  clients = [];
  proxy = await openFreezingProxy(database.url);
});
afterEach(async () => {
  await proxy.close();
  for (const client of clients) client.end().catch(() => {});
});

async function connected(connectionTimeoutMillis = 0, application_name = 'test'): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: proxy.url, connectionTimeoutMillis, application_name });
  client.on('error', () => {});
  clients.push(client);
  await client.connect();
  return client;
}

const answers = (client: pg.Client) => client.query({ text: 'select 1', query_timeout: NEVER_MS } as never);

test('pass: forwards everything', async () => {
  const client = await connected();
  await client.query('select 1');
  expect(proxy.open).toBe(1);
});

test('refuse: cuts and refuses connections, and accepts them again afterwards', async () => {
  const client = await connected();
  const ended = new Promise<void>((resolve) => client.on('end', resolve));
  await proxy.set('refuse');
  await ended;
  await expect(connected()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await proxy.set('pass');
  await (await connected()).query('select 1');
});

test('dead: nothing passes on old or new connections, and lost data stays lost', async () => {
  const client = await connected();
  await proxy.set('dead');
  await expect(answers(client)).rejects.toThrow('Query read timeout');
  await expect(connected(NEVER_MS)).rejects.toThrow('timeout');
  await proxy.set('pass');
  await expect(answers(client)).rejects.toThrow('Query read timeout');
  await (await connected()).query('select 1');
});

test('dead: the other side does not see a connection end', async () => {
  const client = await connected();
  await proxy.set('dead');
  const ended = client.end().then(() => 'ended');
  await expect.poll(() => proxy.open).toBe(0);
  expect(await Promise.race([ended, delay(NEVER_MS, 'waits')])).toBe('waits');
});

test('held: sent data arrives once the network is back', async () => {
  const client = await connected();
  await proxy.set('held');
  const answer = client.query('select 1');
  await expect(Promise.race([answer, connected(NEVER_MS)])).rejects.toThrow('timeout');
  await proxy.set('pass');
  await expect(answer).resolves.toMatchObject({ rowCount: 1 });
});

test('slow: everything arrives late and in order', async () => {
  const client = await connected();
  await proxy.set({ slowMs: 100 });
  const began = performance.now();
  const first = client.query('select 1 as n');
  const second = client.query('select 2 as n');
  expect((await first).rows).toEqual([{ n: 1 }]);
  expect((await second).rows).toEqual([{ n: 2 }]);
  expect(performance.now() - began).toBeGreaterThan(390);
});

test('cut: connections end and can be reopened at once', async () => {
  const client = await connected();
  const ended = new Promise<void>((resolve) => client.on('end', resolve));
  await proxy.set('cut');
  await ended;
  await (await connected()).query('select 1');
});

test('reject: open connections stay, new ones get the error', async () => {
  const client = await connected();
  await proxy.set({ reject: '53300', message: 'sorry, too many clients already' });
  await client.query('select 1');
  await expect(connected()).rejects.toMatchObject({
    code: '53300',
    message: 'sorry, too many clients already',
  });
  await proxy.set('pass');
  await (await connected()).query('select 1');
});

test.each(['dead', 'held'] as const)(
  '%s, for some connections only: the others are unaffected',
  async (mode) => {
    const [one, other] = [await connected(0, 'one'), await connected(0, 'other')];
    await proxy.set(mode, 'one');
    await expect(answers(one)).rejects.toThrow('Query read timeout');
    await expect(connected(NEVER_MS, 'one')).rejects.toThrow('timeout');
    await other.query('select 1');
    await (await connected(0, 'other')).query('select 1');
    await proxy.set('pass');
    await (await connected(0, 'one')).query('select 1');
  },
);

test('cut, for some connections only: the others stay open', async () => {
  const [one, other] = [await connected(0, 'one'), await connected(0, 'other')];
  const ended = new Promise<void>((resolve) => one.on('end', resolve));
  await proxy.set('cut', 'one');
  await ended;
  await other.query('select 1');
});
