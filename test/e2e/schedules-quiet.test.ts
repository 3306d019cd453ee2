import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { startFakeSlack } from '../helpers/slack/server.ts';
import type { FakeSlack } from '../helpers/slack/types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from '../helpers/slack/workspace.ts';

vi.setConfig({ testTimeout: 120_000 });

/** People hear of a schedule's run only if its verdict changed. */
let slack: FakeSlack;
let app: TestApp;
let api: ApiClient;
let sql: pg.Pool;
let verdict: string;
beforeAll(async () => {
  slack = await startFakeSlack();
  app = await startTestApp({
    defaults: { report: { enabled: true } },
    schedules: { disks: { text: 'Check the disks.', cron: '0 0 1 1 *' } },
    system: { slack: { enabled: true, channel: SLACK_CHANNEL, token_env: 'MY_SLACK_TOKEN' } },
    notifications: {
      channels: { hook: { kind: 'webhook', url: 'https://receiver.example/', secrets_env: ['HOOK_SECRET'] } },
      rules: [{ events: ['session.started', 'session.ended'], channels: ['hook'] }],
    },
    env: { MY_SLACK_TOKEN: SLACK_TOKEN, HOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
    slackApiUrl: slack.url,
  });
  app.llm.otherwise(({ purpose }) =>
    purpose === 'report'
      ? {
          text: JSON.stringify({
            verdict,
            headline: 'Checked.',
            confidence: 0.9,
            entities: [],
            claims: [ADVICE],
          }),
        }
      : { text: 'Checked.' },
  );
  api = apiClient(app.url);
  sql = new pg.Pool({ connectionString: app.database.url, max: 2 });
});
afterAll(async () => {
  await sql.end();
  await app.stop();
  await slack.close();
});

/** Runs the schedule. @returns the events that people are told */
async function heardOf(next: string): Promise<string[]> {
  verdict = next;
  const { runSchedule } = await api.query<{ runSchedule: { session: { id: string } } }>(
    'mutation { runSchedule(name: "disks") { ... on RunScheduleSuccess { session { id } } } }',
  );
  const { id } = runSchedule.session;
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  const uuid = Buffer.from(id, 'base64').toString().split(':')[1];
  const { rows } = await sql.query<{ heard: string }>(
    `select 'slack ' || point as heard from slack_posts where session_id = $1
     union all select event from notification_deliveries where session_id = $1 order by 1`,
    [uuid],
  );
  return rows.map(({ heard }) => heard);
}

const ADVICE = { kind: 'RECOMMENDATION', text: 'Check again tomorrow.', citations: [], facts: [] };
const LOUD = ['session.ended', 'slack TERMINAL'];

test('a run without trouble is quiet, and each change of the verdict is told once', async () => {
  expect(await heardOf('NO_ACTION')).toEqual([]);
  expect(await heardOf('NO_ACTION')).toEqual([]);
  expect(await heardOf('ACTION_REQUIRED')).toEqual(LOUD);
  expect(await heardOf('ACTION_REQUIRED')).toEqual([]);
  expect(await heardOf('NO_ACTION')).toEqual(LOUD);
});
