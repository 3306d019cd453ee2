import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SourceType } from '../../src/config/enums.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { emptyIntake, openTestPool } from '../helpers/deliveries.ts';
import { sendAs, sourcesOfSenders } from './send-as.ts';
import { SENDERS } from './senders.ts';

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  app = await startTestApp({ role: 'api', intake: { sources: sourcesOfSenders() } });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyIntake(pool));

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

test.each((Object.keys(SENDERS) as SourceType[]).filter((type) => !SENDERS[type].neverEnds))(
  '%s: the end of an alert keeps its start',
  async (type) => {
    const { alert } = SENDERS[type];
    const [since, until] = [ago(3), ago(1)];
    const send = (told: object) =>
      sendAs(type, { url: app.url, payload: alert({ id: 'x', since, ...told } as never) });
    const read = async () =>
      (await pool.query('select state, starts_at, ends_at from alerts')).rows as Record<string, unknown>[];
    expect(await send({ at: since })).toBe(202);
    const [began] = await read();
    expect(await send({ at: until, until, isOver: true })).toBe(202);
    const [ended] = await read();
    expect(ended).toMatchObject({ state: 'RESOLVED', starts_at: began!.starts_at });
  },
);
