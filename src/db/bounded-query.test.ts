import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { OutOfRoomError, queryBounded } from './bounded-query.ts';
import { openPool } from './pool.ts';

let database: TestDatabase;
let pool: ReturnType<typeof openPool>;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { max: 1, application: 'test', logger: pino({ level: 'silent' }) });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const rows = (count: number, length: number) => ({
  text: `select n, repeat('x', $1::int) as text from generate_series(1, $2::int) n`,
  values: [length, count],
});
const backend = async () =>
  (await queryBounded<{ pid: number }>(pool, { text: 'select pg_backend_pid() as pid' }, () => true)).rows[0]!
    .pid;

it('returns all rows, in any number of portions', async () => {
  let bytes = 0;
  const result = await queryBounded<{ n: number }>(pool, rows(5000, 100), (more) => {
    bytes += more;
    return true;
  });
  expect(result.rows.map(({ n }) => n)).toEqual(Array.from({ length: 5000 }, (_, n) => n + 1));
  expect(bytes).toBeGreaterThan(500_000);
  expect((await queryBounded(pool, rows(0, 1), () => true)).rows).toEqual([]);
});

it('stops reading when there is no room, and keeps the connection', async () => {
  const pid = await backend();
  let asked = 0;
  const hasRoom = () => {
    asked += 1;
    return asked < 40;
  };
  await expect(queryBounded(pool, rows(1_000_000, 10_000), hasRoom)).rejects.toThrow(OutOfRoomError);
  const refused = new Error('too much');
  const refuse = () => {
    throw refused;
  };
  await expect(queryBounded(pool, rows(100, 10), refuse)).rejects.toBe(refused);
  expect(asked).toBe(40);
  expect(await backend()).toBe(pid);
});

it('drops the connection if the server refused the statement', async () => {
  const pid = await backend();
  const text = 'select 1 / (3 - n) from generate_series(1, 100) n';
  await expect(queryBounded(pool, { text }, () => true)).rejects.toMatchObject({ code: '22012' });
  expect(await backend()).not.toBe(pid);
});
