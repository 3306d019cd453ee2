import { expect, test } from 'vitest';
import { startTestApp } from '../helpers/app.ts';
import { alertBody, intakeConfig, openTestPool, sendDelivery } from '../helpers/deliveries.ts';

/** Waits (ms) that end one after the other, over more time than the interval between two checks. */
const WAITS_MS = [200, 700, 1200, 1700, 2200, 2700, 3200];

/** Maximum delay (s): one check interval, and as much again for a busy machine. */
const LATEST_S = 2;

test('an investigation begins when its wait for more alerts ends, within a second', async () => {
  const app = await startTestApp({
    // Nothing else delays the investigations: neither a lack of slots nor the start of tools.
    queue: { max_concurrent_sessions: WAITS_MS.length, worker_concurrency: WAITS_MS.length },
    agents: { TestAgent: { mcp_servers: [] } },
    intake: intakeConfig({
      rules: WAITS_MS.map((ms) => ({ name: `${ms}`, match: [`wait="${ms}"`], group_wait: `${ms}ms` })),
    }),
  });
  const pool = openTestPool(app.database.url);
  app.llm.otherwise({ text: 'Done.' });
  try {
    const alerts = WAITS_MS.map((ms) =>
      alertBody({ severity: 'error', fingerprint: `${ms}`, group: `${ms}`, labels: { wait: `${ms}` } }),
    );
    await sendDelivery(app.url, alerts);
    const begun = async () =>
      (
        await pool.query<{ late: number }>(
          'select extract(epoch from started_at - run_at)::float8 as late from alert_sessions where started_at is not null',
        )
      ).rows.map(({ late }) => late);
    await expect.poll(begun, { timeout: 20_000 }).toHaveLength(WAITS_MS.length);
    const late = await begun();
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThan(LATEST_S);
  } finally {
    await pool.end();
    await app.stop();
  }
});
