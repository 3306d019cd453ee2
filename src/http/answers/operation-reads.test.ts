import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, insertSession, openApi } from '../../../test/helpers/http-api.ts';
import { createTestDatabase } from '../../../test/helpers/postgres.ts';
import { openPool } from '../../db/pool.ts';
import { MAX_SEARCHES_WAITING } from '../tunables.ts';

const SEARCH = '{ sessions(first: 5, filter: { search: "disk" }) { nodes { id } } }';
const PAGE = '{ sessions(first: 5) { nodes { id } } }';

/** Time limit (ms) of a search in this test, and of its wait for the connection. */
const SEARCH_MS = 6_000;

let api: Api;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
/** Pool with a single connection, so that searches wait for each other. */
let searchPool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  searchPool = openPool(database.url, {
    application: 'searches-of-reading-test',
    max: 1,
    statementTimeoutMs: SEARCH_MS,
    logger: pino({ level: 'silent' }),
  });
  api = await openApi(
    {},
    { searchPool, streamLimits: { connectionsPerClient: 1, operationsPerConnection: 10 } },
  );
  await insertSession(api.pool);
});
afterAll(async () => {
  await api.close();
  await searchPool.end();
  await database.drop();
});

const codeOf = (answer: Awaited<ReturnType<Api['query']>>) => answer.errors?.[0]?.extensions.code;

it('makes searches wait only for searches, and answers BUSY when a client has too many', async () => {
  const held = await searchPool.connect();
  const first = 1; // this search has its turn and waits for the connection
  const searches = Array.from({ length: first + MAX_SEARCHES_WAITING + 1 }, () => api.query(SEARCH));
  expect(codeOf(await Promise.race(searches))).toBe('BUSY');
  expect((await api.query(PAGE)).errors).toBeUndefined();
  held.release();
  const codes = (await Promise.all(searches)).map(codeOf);
  expect(codes.filter((code) => code !== undefined)).toEqual(['BUSY']);
});

it('answers that a search took too long when the server stops it', async () => {
  const other = new pg.Client(database.url);
  await other.connect();
  try {
    await other.query('begin; lock table alert_sessions in access exclusive mode');
    const answer = await api.query(SEARCH);
    expect([codeOf(answer), answer.errors?.[0]?.message]).toEqual([
      'TOOK_TOO_LONG',
      expect.stringContaining('The search'),
    ]);
  } finally {
    await other.end();
  }
});

it('does not search for a client that closed its WebSocket', async () => {
  const held = await searchPool.connect();
  await held.query("select 'held'");
  const { socket } = await connect();
  socket!.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: SEARCH } }));
  await expect.poll(() => searchPool.waitingCount).toBe(1);
  socket!.terminate();
  await untilNobodyIsConnected();
  held.release();
  await expect.poll(() => [searchPool.waitingCount, searchPool.idleCount]).toEqual([0, 1]);
  const { rows } = await api.pool.query(
    `select query from pg_stat_activity where application_name = 'searches-of-reading-test'`,
  );
  expect(rows).toEqual([{ query: "select 'held'" }]);
});

/** Returns a WebSocket that is ready for operations; `null` if the previous one may still be open. */
async function connect(): Promise<{ socket: WebSocket | null }> {
  const socket = new WebSocket(api.wsUrl, 'graphql-transport-ws');
  socket.on('open', () => socket.send('{"type":"connection_init"}'));
  return new Promise((resolve) => {
    socket.once('message', () => resolve({ socket }));
    socket.once('error', () => resolve({ socket: null }));
  });
}

async function untilNobodyIsConnected(): Promise<void> {
  await expect.poll(async () => (await connect()).socket).not.toBeNull();
}
