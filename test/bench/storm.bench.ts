import { expect, test } from 'vitest';
import { updateStormTexts } from '../../src/intake/storm.ts';
import { CHROMIUM } from '../helpers/browser.ts';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { openTestPool, SOURCE_TOKEN } from '../helpers/deliveries.ts';
import { createTestDatabase } from '../helpers/postgres.ts';
import { startProcess } from '../helpers/process.ts';
import { forkBench, nextMessage } from './children.ts';
import type { DeliveryLoad, DeliveryReport } from './intake/deliveries.ts';
import { watchAlerts } from './intake/page.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

const GROUPS = scaled(60, 2000);
const WARM_UP = scaled(10, 100);
const PER_SECOND = 2000 / 60;

test.skipIf(CHROMIUM === null)('a storm of 2,000 groups in a minute', async () => {
  const database = await createTestDatabase();
  const pool = openTestPool(database.url);
  const source = { type: 'alertmanager', tokens: [SOURCE_TOKEN] };
  const intake = { sources: { am: source, before: source } };
  const queue = { alerts_per_minute: 1_000_000 };
  const env = { DATABASE_URL: database.url, CONFIG_DIR: await writeConfig(testConfig({ intake, queue })) };
  const api = await startProcess('api', env);
  const clients = forkBench(import.meta.resolve('./intake/deliveries.ts'));
  let watched: Awaited<ReturnType<typeof watchAlerts>> | null = null;
  try {
    const run = async (path: string, requests: number) => {
      const reported = nextMessage<DeliveryReport>(clients, 'report');
      const to = { port: Number(new URL(api.url!).port), path, senders: 0, token: SOURCE_TOKEN };
      clients.send({ load: { ...to, requests, alerts: 1, perSecond: PER_SECOND } satisfies DeliveryLoad });
      return reported;
    };
    // Warm-up, so that the storm reaches a process that is already busy.
    await run('/webhooks/before', WARM_UP);
    await pool.query('truncate alert_groups, alert_sessions cascade');
    watched = await watchAlerts(api.url!);
    const { page } = watched;
    const { wrong, p50, p99 } = await run('/webhooks/am', GROUPS);
    expect(wrong).toBeNull();
    const over = performance.now();
    const text = `${GROUPS.toLocaleString('en')} groups`;
    // Looks at each frame, because a locator looks again only after pauses of up to 500 ms.
    await page.waitForFunction((text) => document.body.textContent.includes(text), text, { polling: 'raf' });
    const listed = performance.now() - over;
    const storms = await pool.query('select 1 from alert_sessions where group_id is null');
    expect(storms.rows).toHaveLength(1);
    const alone = await pool.query('select 1 from alert_sessions where group_id is not null');
    expect(alone.rows).toHaveLength(20);
    const taken = await pool.query<{ id: string; at: Date }>('select id, opened_at as at from alert_groups');
    const shown = await watched.shown();
    const waits = taken.rows.flatMap(({ id, at }) => (shown.has(id) ? [shown.get(id)! - at.getTime()] : []));
    expect(waits.length).toBeGreaterThan(GROUPS / 100);
    report({
      name: 'storm of 2,000 groups in a minute: answer, p99',
      value: p99,
      unit: 'ms',
      baseline: p50,
      baselineName: 'p50',
    });
    report({
      name: 'storm of 2,000 groups in a minute: until the page shows that all came',
      value: listed,
      unit: 'ms',
      baseline: null,
      baselineName: null,
    });
    report({
      name: 'storm of 2,000 groups in a minute: from taken to shown on the page, p99',
      value: percentile(waits, 0.99),
      unit: 'ms',
      baseline: percentile(waits, 0.5),
      baselineName: 'p50',
    });
    const begun = performance.now();
    expect(await updateStormTexts(pool)).toBe(1);
    report({
      name: 'text of a storm of 2,000 groups, made each 5 s while it waits',
      value: performance.now() - begun,
      unit: 'ms',
      baseline: null,
      baselineName: null,
    });
  } finally {
    await watched?.close();
    clients.kill();
    await api.end('SIGTERM');
    await pool.end();
    await database.drop();
  }
});
