import pg from 'pg';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { CHANNELS } from '../../src/engine/live/event-log.ts';
import { openPublisher, withPublishing } from '../../src/engine/live/publisher.ts';
import { createTestDatabase } from '../helpers/postgres.ts';
import { beginRun } from '../helpers/run-log.ts';
import { report } from './report.ts';
import { scaled } from './scale.ts';

const WRITERS = 16;
const LISTENERS = scaled(5, 50);
const MILLISECONDS = scaled(200, 5_000);

test('cost of listening processes for writers', async () => {
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: WRITERS });
  const publisher = openPublisher(database.url, pino({ level: 'silent' }));
  const db = withPublishing(pool, publisher);
  const runs = await Promise.all(Array.from({ length: WRITERS }, () => beginRun(pool, db)));

  /** Returns the number of events written and announced per second, each in a commit of its own. */
  async function perSecond(): Promise<number> {
    const begun = performance.now();
    let written = 0;
    const writeOn = async (run: (typeof runs)[number]) => {
      for (; performance.now() - begun < MILLISECONDS; written += 1) await run.write(1);
    };
    await Promise.all(runs.map(writeOn));
    return (written / (performance.now() - begun)) * 1000;
  }

  const listeners: pg.Client[] = [];
  try {
    await perSecond(); // warm-up
    const alone = await perSecond();
    for (let n = 0; n < LISTENERS; n += 1) {
      const client = new pg.Client({ connectionString: database.url });
      listeners.push(client);
      await client.connect();
      await client.query(`listen ${CHANNELS.event}`);
    }
    const heard = perSecond();
    report({
      name: `events written while ${LISTENERS} connections listen`,
      value: await heard,
      unit: 'commits/s',
      baseline: alone,
      baselineName: 'nobody listens',
    });
    expect(alone).toBeGreaterThan(0);
  } finally {
    for (const client of listeners) await client.end();
    await publisher.close();
    await pool.end();
    await database.drop();
  }
});
