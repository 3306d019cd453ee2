import { expect, it } from 'vitest';
import { openTestPool } from '../../test/helpers/deliveries.ts';
import { insertRow } from '../../test/helpers/http-api.ts';
import { createTestDatabase } from '../../test/helpers/postgres.ts';
import { deleteOldIntakeRows } from './retention.ts';

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

it('deletes old rows, and keeps open or recent ones', async () => {
  const database = await createTestDatabase();
  const pool = openTestPool(database.url);
  const group = (days: number, resolved: boolean) =>
    insertRow(pool, 'alert_groups', {
      ...{
        source: 's',
        group_key: `${days}${resolved}`,
        title: 't',
        severity: 'ERROR',
        state: 'FIRING',
        alert_type: 'x',
      },
      ...{
        opened_at: daysAgo(days),
        last_received_at: daysAgo(days),
        resolved_at: resolved ? daysAgo(days) : null,
      },
    });
  const kept = [await group(100, false), await group(10, true)];
  const gone = await group(40, true);
  for (const id of [gone, kept[0]!])
    await insertRow(pool, 'alerts', {
      ...{
        group_id: id,
        source: 's',
        fingerprint: id,
        title: 't',
        severity: 'ERROR',
        state: 'FIRING',
        labels: {},
        annotations: {},
      },
      ...{ starts_at: new Date(), first_received_at: new Date(), last_received_at: new Date() },
    });
  for (const days of [8, 6])
    await insertRow(pool, 'intake_deliveries', { source: 's', received_at: daysAgo(days), alerts: 1 });
  for (const days of [40, 20]) {
    await insertRow(pool, 'intake_decisions', {
      source: 's',
      at: daysAgo(days),
      outcome: 'REJECTED',
      reason: 'r',
    });
    await insertRow(pool, 'silences', {
      matchers: ['a="b"'],
      comment: 'c',
      created_by: 'x',
      starts_at: daysAgo(50),
      ends_at: daysAgo(days),
    });
  }
  expect(await deleteOldIntakeRows(pool, 30)).toBe(4);
  const ids = async (table: string) =>
    (await pool.query(`select id from ${table} order by id`)).rows.map(({ id }) => id);
  expect(await ids('alert_groups')).toEqual(kept.toSorted());
  expect((await pool.query('select fingerprint from alerts')).rows).toEqual([{ fingerprint: kept[0] }]);
  for (const table of ['intake_deliveries', 'intake_decisions', 'silences'])
    expect(await ids(table)).toHaveLength(1);
  await pool.end();
  await database.drop();
});
