import { expect, test } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { connect, SOURCE_TOKEN } from '../helpers/deliveries.ts';
import { createTestDatabase } from '../helpers/postgres.ts';
import { startProcess } from '../helpers/process.ts';
import { forkBench, heard } from './children.ts';
import type { DeliveryLoad, DeliveryReport } from './intake/deliveries.ts';
import { report } from './report.ts';
import { scaled } from './scale.ts';

const GROUPS = scaled(60, 2000);
const WARM_UP = scaled(10, 100);
const PER_SECOND = 2000 / 60;

test('a storm of 2,000 groups in a minute', async () => {
  const database = await createTestDatabase();
  const pool = connect(database.url);
  const source = { type: 'alertmanager', tokens: [SOURCE_TOKEN] };
  const intake = { sources: { am: source, before: source } };
  const queue = { alerts_per_minute: 1_000_000 };
  const env = { DATABASE_URL: database.url, CONFIG_DIR: await writeConfig(testConfig({ intake, queue })) };
  const api = await startProcess('api', env);
  const clients = forkBench(import.meta.resolve('./intake/deliveries.ts'));
  try {
    const run = async (path: string, requests: number) => {
      const reported = heard<DeliveryReport>(clients, 'report');
      const to = { port: Number(new URL(api.url!).port), path, token: SOURCE_TOKEN };
      clients.send({ load: { ...to, requests, alerts: 1, perSecond: PER_SECOND } satisfies DeliveryLoad });
      return reported;
    };
    await run('/webhooks/before', WARM_UP); // it comes upon a process that is at work
    await pool.query('truncate alert_groups, alert_sessions cascade');
    const { wrong, p50, p99 } = await run('/webhooks/am', GROUPS);
    const over = performance.now();
    const page = `{ alertGroups(first: 25) { totalCount nodes { id title decisions(first: 1) { nodes { outcome } } } } }`;
    const list = () => apiClient(api.url!).query<{ alertGroups: { totalCount: number } }>(page);
    await expect
      .poll(async () => (await list()).alertGroups.totalCount, { timeout: 10_000, interval: 10 })
      .toBe(GROUPS);
    const listed = performance.now() - over;
    expect(wrong).toBeNull();
    const storms = await pool.query('select 1 from alert_sessions where group_id is null');
    expect(storms.rows).toHaveLength(1);
    const alone = await pool.query('select 1 from alert_sessions where group_id is not null');
    expect(alone.rows).toHaveLength(20);
    report({
      name: 'storm of 2,000 groups in a minute: answer, p99',
      value: p99,
      unit: 'ms',
      baseline: p50,
      baselineName: 'p50',
    });
    report({
      name: 'storm of 2,000 groups in a minute: until the last is listed',
      value: listed,
      unit: 'ms',
      baseline: null,
      baselineName: null,
    });
  } finally {
    clients.kill();
    await api.end('SIGTERM');
    await pool.end();
    await database.drop();
  }
});
