import { expect, test } from 'vitest';
import { startTestApp } from '../helpers/app.ts';
import { alertBody, intakeConfig, openTestPool, sendDelivery } from '../helpers/deliveries.ts';

/** Waits (ms) that end one after the other, over more time than the interval between two checks. */
const WAITS_MS = [200, 700, 1200, 1700, 2200, 2700, 3200];

/** Maximum delay (s). Without the check at the end of each wait, sessions begin every five seconds. */
const LATEST_S = 2;

/** Number of tries, because the machine may pause during some. */
const TRIES = 5;

test('an investigation begins when its wait for more alerts ends, within a second', {
  timeout: 180_000,
}, async () => {
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
    const begun = async () =>
      (
        await pool.query<{ late: number }>(
          'select extract(epoch from started_at - run_at)::float8 as late from alert_sessions where started_at is not null order by id',
        )
      ).rows.map(({ late }) => late);
    let latest = Number.POSITIVE_INFINITY;
    for (let round = 1; round <= TRIES && latest >= LATEST_S; round += 1) {
      const alerts = WAITS_MS.map((ms) => {
        const name = `${round}-${ms}`;
        return alertBody({ severity: 'error', fingerprint: name, group: name, labels: { wait: `${ms}` } });
      });
      await sendDelivery(app.url, alerts);
      await expect.poll(begun, { timeout: 30_000 }).toHaveLength(round * WAITS_MS.length);
      const late = (await begun()).slice(-WAITS_MS.length);
      expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
      latest = Math.max(...late);
    }
    expect(latest).toBeLessThan(LATEST_S);
  } finally {
    await pool.end();
    await app.stop();
  }
});
