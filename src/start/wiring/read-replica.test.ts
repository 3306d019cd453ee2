import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../../test/helpers/postgres.ts';
import { openPool } from '../../db/pool.ts';
import { createWarnings, listWarnings } from '../../warnings.ts';
import { warnWhenUnused } from './read-replica.ts';

const USED = { serves: true, problem: null };
const BEHIND = { serves: false, problem: 'it is behind the primary' };
const AWAY = { serves: false, problem: 'it does not answer' };

test('warns when the replica is unused for half a minute, and clears the warning of an earlier process', async () => {
  const database = await createTestDatabase();
  const logger = pino({ level: 'silent' });
  const db = openPool(database.url, { application: 'test', logger });
  onTestFinished(async () => {
    await db.end();
    await database.drop();
  });
  const warnings = createWarnings({ db, mask: (text) => text, logger });
  const details = async () => (await listWarnings(db)).map((warning) => warning.details);
  let seconds = 0;
  const open = () => warnWhenUnused(warnings, () => seconds * 1000);
  const check = open();
  const at = async (second: number, status: typeof USED | typeof BEHIND) => {
    seconds = second;
    await check(status);
    return details();
  };

  expect(await at(0, USED)).toEqual([]);
  expect(await at(1, BEHIND)).toEqual([]);
  expect(await at(29, BEHIND)).toEqual([]);
  expect(await at(31, BEHIND)).toEqual(['DATABASE_READ_URL: it is behind the primary.']);
  expect(await at(32, AWAY)).toEqual(['DATABASE_READ_URL: it does not answer.']);
  expect(await at(33, USED)).toEqual([]);
  expect(await at(62, AWAY)).toEqual([]);
  expect(await at(64, AWAY)).toEqual(['DATABASE_READ_URL: it does not answer.']);
  await open()(USED);
  expect(await details()).toEqual([]);
});
