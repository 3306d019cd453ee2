import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { startFakeSlack } from '../helpers/slack/server.ts';
import type { FakeSlack } from '../helpers/slack/types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from '../helpers/slack/workspace.ts';
import { openSwitchableProxy, type SwitchableProxy } from '../helpers/switchable-proxy.ts';

/** Length of the outage (s), and the sessions that end within a minute of it. `npm run test:slack-outage` sets both. */
const SECONDS = Number(process.env.SLACK_OUTAGE_SECONDS ?? 25);
const SESSIONS = Number(process.env.SLACK_OUTAGE_SESSIONS ?? 10);

/** True for the long run, which has the machine for itself. */
const IS_ALONE = SESSIONS > 10;

/**
 * Time after the return within which every end is told in the long run (s). Slack accepts one message per second after a
 * burst. Without the return being noticed, messages would wait for 11 minutes after ten.
 */
const TOLD_WITHIN_S = 60;

/** Time within which the sessions end (s). */
const ENDING_S = Math.min(SECONDS / 2, 55);

let slack: FakeSlack;
let proxy: SwitchableProxy;
let app: TestApp;
let sql: pg.Pool;
beforeEach(async () => {
  slack = await startFakeSlack();
  slack.burst = 10;
  proxy = await openSwitchableProxy(new URL(slack.url).origin);
  app = await startTestApp({
    slackApiUrl: `${proxy.url}/api/`,
    env: { MY_SLACK_TOKEN: SLACK_TOKEN },
    system: { slack: { enabled: true, channel: SLACK_CHANNEL, token_env: 'MY_SLACK_TOKEN' } },
  });
  sql = new pg.Pool({ connectionString: app.database.url, max: 1 });
});
afterEach(async () => {
  await sql.end();
  await app.stop();
  await proxy.close();
  await slack.close();
});

test(`${SESSIONS} sessions that end in an outage of ${SECONDS} s are told soon after it, once each`, {
  timeout: (SECONDS + 240) * 1_000,
}, async () => {
  app.llm.otherwise({ text: 'The disk is full.' });
  const api = apiClient(app.url);
  proxy.refuse();
  const begun = performance.now();
  for (let n = 0; n < SESSIONS; n += 1) {
    const id = await api.submit(`Disk ${n}`);
    await api.query('mutation ($id: ID!) { cancelSession(id: $id) { __typename } }', { id });
    await delay(Math.max(0, begun + ((n + 1) * ENDING_S * 1_000) / SESSIONS - performance.now()));
  }
  await delay(Math.max(0, begun + SECONDS * 1_000 - performance.now()));
  expect(slack.messages).toEqual([]);
  if (!IS_ALONE) await waitAnHour();

  proxy.accept();
  const returned = performance.now();
  const waiting = async () =>
    (await sql.query(`select 1 from slack_posts where status = 'WAITING'`)).rowCount;
  await expect.poll(waiting, { timeout: 200_000, interval: 200 }).toBe(0);
  const tookS = (performance.now() - returned) / 1_000;

  const { rows } = await sql.query(
    'select status, count(*)::int as count, max(attempts) as attempts from slack_posts group by status',
  );
  expect(rows).toEqual([{ status: 'POSTED', count: SESSIONS, attempts: expect.any(Number) }]);
  const told = slack.messages.map(
    ({ metadata }) =>
      (metadata as { event_payload: { session_id: string } } | undefined)?.event_payload.session_id,
  );
  const { rows: sessions } = await sql.query<{ id: string }>('select id from alert_sessions');
  expect(told.toSorted()).toEqual(sessions.map(({ id }) => id).toSorted());
  process.stdout.write(
    `slack outage of ${SECONDS} s: ${SESSIONS} ends told within ${tookS.toFixed(1)} s of the return, at most ${rows[0].attempts} attempts each\n`,
  );
  if (IS_ALONE) expect(tookS).toBeLessThan(TOLD_WITHIN_S);
});

/** Makes failed messages wait for an hour, as after an outage of hours. Only a noticed return makes them due before. */
async function waitAnHour(): Promise<void> {
  const { rowCount } = await sql.query(
    `update slack_posts set due_at = now() + interval '1 hour' where status = 'WAITING' and error is not null`,
  );
  expect(rowCount).toBeGreaterThan(0);
}
