import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { insertSession } from '../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../test/helpers/postgres.ts';
import { openTelemetry } from './open.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

/** Returns the metrics page of a process that has just started with this configuration. */
async function page(tarsy = ''): Promise<string[]> {
  const config = await loadText(tarsy);
  const environment = { tracesUrl: null, serviceName: 'test' };
  const maskContent = (text: string) => text;
  const { telemetry } = await openTelemetry({ config, environment, pool, version: '0', maskContent });
  return (await telemetry.page.render('')).text.split('\n');
}

test('counts sessions held by a living worker as active and due ones as queued', async () => {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000);
  const worked = { attempt: 1, worker_id: 'w' };
  await insertSession(pool, { status: 'IN_PROGRESS', ...worked, lease_expires_at: at(600) });
  await insertSession(pool, { status: 'CANCELLING', ...worked, lease_expires_at: at(600) });
  for (let lost = 0; lost < 3; lost++)
    await insertSession(pool, { status: 'IN_PROGRESS', ...worked, lease_expires_at: at(-60) });
  await insertSession(pool, { status: 'PENDING' });
  await insertSession(pool, { status: 'PENDING', run_at: at(-1) });
  await insertSession(pool, { status: 'PENDING', run_at: at(600) });
  await insertSession(pool, { status: 'COMPLETED' });
  const lines = await page();
  expect(lines).toContain('tarsy_sessions_active 2');
  expect(lines).toContain('tarsy_sessions_queued 5');
});

test('exports series that alert rules use before their first event, so that it counts as an increase', async () => {
  const stages = '[{ name: one, agents: [{ name: HostAgent }] }]';
  const lines = await page(`agent_chains: { own: { alert_types: [disk], stages: ${stages} } }\n`);
  for (const outcome of ['requeued', 'failed', 'cancelled'])
    expect(lines).toContain(`tarsy_orphans_recovered_total{outcome="${outcome}"} 0`);
  for (const type of ['disk', 'host'])
    for (const status of ['completed', 'failed', 'cancelled', 'timed_out'])
      expect(lines).toContain(`tarsy_sessions_terminal_total{alert_type="${type}",status="${status}"} 0`);
});
