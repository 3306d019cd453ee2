import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { openPool } from '../../db/pool.ts';
import { boundedReads, createReadPool } from '../../resolvers/reads/bounded-reads.ts';
import { createLedger } from './ledger.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { application: 'test', logger: pino({ level: 'silent' }) });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const LIMITS = { answerBytes: 20_000, smallBytes: 8_000, allSmallBytes: 100_000 };

it('counts the bytes of a statement once, although it is repeated for lack of room', async () => {
  const ledger = createLedger({ ...LIMITS, largeAtOnce: 1, maxWaiting: 5, waitMs: 60_000 });
  const answer = ledger.open();
  const reads = boundedReads(createReadPool(pool, 'The query', 5), answer, 'ana');
  const rowsOf = async (count: number) =>
    (await reads.query(`select repeat('x', 1000) as text from generate_series(1, ${count})`)).rows;
  expect(await rowsOf(15)).toHaveLength(15);
  await expect(rowsOf(6)).rejects.toMatchObject({ extensions: { code: 'ANSWER_TOO_LARGE' } });
  answer.close();
});
