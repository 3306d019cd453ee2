import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { openPool } from '../db/pool.ts';
import { createWarnings, listWarnings } from '../warnings.ts';
import { reportAlertMasking } from './alert-warning.ts';
import { createMasking } from './masking.ts';

const logger = pino({ level: 'silent' });
let database: TestDatabase;
let pool: ReturnType<typeof openPool>;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { application: 'test', logger });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

test('warns while alerts cannot be masked', async () => {
  const warnings = createWarnings({ db: pool, mask: (text) => text, logger });
  let told: Promise<void> = Promise.resolve();
  const masking = createMasking(await loadText(''), logger, (works) => {
    told = reportAlertMasking(warnings, works);
  });
  const categories = async () => {
    await told;
    return (await listWarnings(pool)).map(({ category }) => category);
  };
  masking.maskAlert({ length: 1 } as unknown as string); // not a string, so that masking fails at once
  expect(await categories()).toEqual(['alert_masking']);
  masking.maskAlert('fine');
  expect(await categories()).toEqual([]);
});
