import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { enqueueSlackPost } from '../../src/jobs/tasks/notify-slack.ts';
import { apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { startFakeSlack } from '../helpers/slack/server.ts';
import type { FakeSlack, Fault } from '../helpers/slack/types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from '../helpers/slack/workspace.ts';

const WORKER = resolve(import.meta.dirname, '../helpers/slack-worker.ts');
const SESSIONS = 50;
const POST = 'chat.postMessage';

let slack: FakeSlack;
let app: TestApp;
let sql: pg.Pool;
let worker: ChildProcess;
afterEach(async () => {
  const gone = once(worker, 'exit');
  worker.kill('SIGKILL');
  await gone;
  await sql.end();
  await app.stop();
  await slack.close();
});

test('the ends of fifty sessions at once are each told once, despite rate limit and outage', {
  timeout: 240_000,
}, async () => {
  slack = await startFakeSlack();
  const env = { MY_SLACK_TOKEN: SLACK_TOKEN };
  app = await startTestApp({
    ...{ role: 'api', slackApiUrl: slack.url, env },
    system: { slack: { enabled: true, channel: SLACK_CHANNEL, token_env: 'MY_SLACK_TOKEN' } },
  });
  sql = new pg.Pool({ connectionString: app.database.url, max: 1 });
  const api = apiClient(app.url);
  for (let n = 0; n < SESSIONS; n += 1) {
    const id = await api.submit(`Disk ${n}`);
    await api.query('mutation ($id: ID!) { cancelSession(id: $id) { __typename } }', { id });
  }
  slack.burst = 2;
  slack.refill = 2; // twice as fast as Slack
  const outage: Fault[] = [{ status: 503, body: 'away' }, { how: 'drop' }, { how: 'drop', done: true }];
  slack.fail(POST, ...Array.from({ length: 5 }, () => outage).flat());
  worker = startWorker(env);
  await expect
    .poll(
      async () => {
        await bringForward();
        return (await sql.query(`select 1 from slack_posts where status = 'WAITING'`)).rowCount;
      },
      { timeout: 180_000, interval: 300 },
    )
    .toBe(0);

  const { rows } = await sql.query('select status, count(*)::int as count from slack_posts group by status');
  expect(rows).toEqual([{ status: 'POSTED', count: SESSIONS }]);
  const told = slack.messages.map(
    ({ metadata }) =>
      (metadata as { event_payload: { session_id: string } } | undefined)?.event_payload.session_id,
  );
  const { rows: sessions } = await sql.query<{ id: string }>('select id from alert_sessions');
  expect(sessions).toHaveLength(SESSIONS);
  expect(told.toSorted()).toEqual(sessions.map(({ id }) => id).toSorted());
});

function startWorker(env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', WORKER], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      CONFIG_DIR: app.configDir,
      DATABASE_URL: app.database.url,
      LLM_SERVICE_ADDR: app.llm.address,
      SLACK_API_URL: slack.url,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Makes failed attempts due again, instead of waiting for minutes. An attempt that runs has a lease of 90 s. */
async function bringForward(): Promise<void> {
  const { rows } = await sql.query<{ id: string }>(
    `update slack_posts set due_at = now() where status = 'WAITING' and error is not null
       and due_at > now() + interval '2 seconds' and not due_at between now() + interval '60 seconds' and now() + interval '91 seconds'
     returning session_id as id`,
  );
  for (const { id } of rows) await enqueueSlackPost(sql, id, 'TERMINAL');
}
