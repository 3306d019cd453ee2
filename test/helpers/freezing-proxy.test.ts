import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FreezingProxy, openFreezingProxy } from './freezing-proxy.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

/** Milliseconds after which an answer is taken for one that never comes. */
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

test('pass: it works', async () => {
  const client = await connected();
  await client.query('select 1');
  expect(proxy.open).toBe(1);
});

test('refuse: connections are cut and refused, and taken again afterwards', async () => {
  const client = await connected();
  const ended = new Promise<void>((resolve) => client.on('end', resolve));
  await proxy.set('refuse');
  await ended;
  await expect(connected()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await proxy.set('pass');
  await (await connected()).query('select 1');
});

test('dead: nothing comes through, old or new, and what was cut off stays so', async () => {
  const client = await connected();
  await proxy.set('dead');
  await expect(answers(client)).rejects.toThrow('Query read timeout');
  await expect(connected(NEVER_MS)).rejects.toThrow('timeout');
  await proxy.set('pass');
  await expect(answers(client)).rejects.toThrow('Query read timeout');
  await (await connected()).query('select 1');
});

test('dead: nobody hears that the other has ended', async () => {
  const client = await connected();
  await proxy.set('dead');
  const ended = client.end().then(() => 'ended');
  await expect.poll(() => proxy.open).toBe(0);
  expect(await Promise.race([ended, delay(NEVER_MS, 'waits')])).toBe('waits');
});

test('held: what was sent arrives once the network is back', async () => {
  const client = await connected();
  await proxy.set('held');
  const answer = client.query('select 1');
  await expect(Promise.race([answer, connected(NEVER_MS)])).rejects.toThrow('timeout');
  await proxy.set('pass');
  await expect(answer).resolves.toMatchObject({ rowCount: 1 });
});

test('slow: everything comes late, and in order', async () => {
  const client = await connected();
  await proxy.set({ slowMs: 100 });
  const began = performance.now();
  const first = client.query('select 1 as n');
  const second = client.query('select 2 as n');
  expect((await first).rows).toEqual([{ n: 1 }]);
  expect((await second).rows).toEqual([{ n: 2 }]);
  expect(performance.now() - began).toBeGreaterThan(390);
});

test('cut: connections end, and are made again at once', async () => {
  const client = await connected();
  const ended = new Promise<void>((resolve) => client.on('end', resolve));
  await proxy.set('cut');
  await ended;
  await (await connected()).query('select 1');
});

test('reject: who is in stays, who comes gets the error', async () => {
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

test.each(['dead', 'held'] as const)('%s, for some alone: the others notice nothing', async (mode) => {
  const [one, other] = [await connected(0, 'one'), await connected(0, 'other')];
  await proxy.set(mode, 'one');
  await expect(answers(one)).rejects.toThrow('Query read timeout');
  await expect(connected(NEVER_MS, 'one')).rejects.toThrow('timeout');
  await other.query('select 1');
  await (await connected(0, 'other')).query('select 1');
  await proxy.set('pass');
  await (await connected(0, 'one')).query('select 1');
});

test('cut, for some alone: the others stay', async () => {
  const [one, other] = [await connected(0, 'one'), await connected(0, 'other')];
  const ended = new Promise<void>((resolve) => one.on('end', resolve));
  await proxy.set('cut', 'one');
  await ended;
  await other.query('select 1');
});
