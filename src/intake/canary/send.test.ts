import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertSession } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import { createTransaction } from '../../engine/store/database.ts';
import { CANARY_SOURCE, canarySource } from './alert.ts';
import { sendWhenDue } from './send.ts';
import { recordArrival } from './store.ts';

let pool: TestPool;
let received = 0;
const receiver = createServer((_req, res) => {
  received += 1;
  res.writeHead(202).end();
});
beforeAll(async () => {
  pool = await createTestPool();
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  receiver.close();
  await pool.drop();
});

test('a canary waits for the investigation of the one before, unless that was deleted', async () => {
  const config = { everyMs: 60_000, withinMs: 60_000, alertType: null };
  const logger = pino({ level: 'silent' });
  const transaction = createTransaction(pool, { publish: async () => {} });
  const deps = { db: pool, transaction, config, source: canarySource(config), logger };
  const { port } = receiver.address() as AddressInfo;
  const sentAfter = async (sessionId: string) => {
    received = 0;
    const at = new Date(Date.now() - 3_600_000);
    await recordArrival(pool, { source: CANARY_SOURCE, rule: '', at, sessionId });
    await sendWhenDue(deps, `http://127.0.0.1:${port}`);
    return received;
  };
  expect(await sentAfter(await insertSession(pool))).toBe(0);
  expect(await sentAfter(uuidv7())).toBe(1);
});
