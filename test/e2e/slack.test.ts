import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { startFakeSlack } from '../helpers/slack/server.ts';
import type { FakeSlack } from '../helpers/slack/types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from '../helpers/slack/workspace.ts';

const WORKER = resolve(import.meta.dirname, '../helpers/slack-worker.ts');
const options = {
  system: { slack: { enabled: true, channel: SLACK_CHANNEL, token_env: 'MY_SLACK_TOKEN' } },
  env: { MY_SLACK_TOKEN: SLACK_TOKEN },
};

let slack: FakeSlack;
let app: TestApp;
let api: ApiClient;
let sql: pg.Client;
const workers: ChildProcess[] = [];

async function start(role: 'all' | 'api'): Promise<void> {
  slack = await startFakeSlack();
  app = await startTestApp({ ...options, role, slackApiUrl: slack.url });
  api = apiClient(app.url);
  sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
}
afterEach(async () => {
  for (const worker of workers.splice(0)) {
    if (worker.exitCode === null && worker.signalCode === null) await kill(worker);
  }
  await sql.end();
  await app.stop();
  await slack.close();
});

async function kill(worker: ChildProcess): Promise<void> {
  const gone = once(worker, 'exit');
  worker.kill('SIGKILL');
  await gone;
}

async function startWorker(): Promise<ChildProcess> {
  const worker = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', WORKER], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      CONFIG_DIR: app.configDir,
      DATABASE_URL: app.database.url,
      LLM_SERVICE_ADDR: app.llm.address,
      SLACK_API_URL: slack.url,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  workers.push(worker);
  await once(worker.stdout!, 'data');
  return worker;
}

/** Calls with which a worker checks the installation at its start. */
const SETUP_CALLS = ['auth.test', 'conversations.info'];

const headings = () => slack.messages.map(({ text }) => text);
const STARTED = ':hourglass_flowing_sand: Investigation Started: test';
const COMPLETE = ':white_check_mark: Analysis Complete: test';

test('answers an alert from Slack in its thread, at start and end', async () => {
  await start('all');
  const thread = slack.say('Disk full, fingerprint fp-42');
  app.llm.script([{ gate: 'begun' }, { text: 'The disk is full.' }], { text: 'Disk full.' });
  const id = await api.submit('disk', { slackMessageFingerprint: 'FP-42' });
  await slack.answered('chat.postMessage', 1);
  app.llm.open('begun');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  await slack.answered('chat.postMessage', 2);
  expect(headings().slice(1)).toEqual([STARTED, COMPLETE]);
  expect(slack.messages.slice(1).map(({ thread_ts: ts }) => ts)).toEqual([thread, thread]);
  expect(slack.messages.at(-1)?.blocks?.map(({ text }) => text.text)).toEqual([
    ':white_check_mark: *Analysis Complete*\nAlert type: test',
    'Disk full.',
    expect.stringMatching(/^<http:\/\/127\.0\.0\.1:\d+\/sessions\/[0-9a-f-]{36}\|Open the investigation>$/),
  ]);
});

test('posts only the end of another alert to the channel, however it ends', async () => {
  await start('all');
  app.llm.script(
    { text: 'The disk is full.' },
    { error: { code: 'invalid_request', message: 'no summary' } },
  );
  await api.submit('disk');
  await slack.answered('chat.postMessage', 1);
  app.llm.script([{ gate: 'never' }]);
  const id = await api.submit('another');
  await app.llm.reached('never');
  await api.query('mutation ($id: ID!) { cancelSession(id: $id) { __typename } }', { id });
  await slack.answered('chat.postMessage', 2);
  expect(headings()).toEqual([COMPLETE, ':no_entry_sign: Analysis Cancelled: test']);
  expect(slack.messages.map(({ thread_ts: ts }) => ts)).toEqual([undefined, undefined]);
  app.llm.open('never');
});

test('an investigation does not wait for an unresponsive Slack', async () => {
  await start('all');
  slack.fail('conversations.history', { how: 'hang' });
  app.llm.script({ text: 'The disk is full.' }, { text: 'Disk full.' });
  const id = await api.submit('disk', { slackMessageFingerprint: 'fp' });
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
});

test('posts the end of a session that is cancelled before it starts, once', async () => {
  await start('api');
  const id = await api.submit('disk', { slackMessageFingerprint: 'fp' });
  for (let n = 0; n < 2; n += 1)
    await api.query('mutation ($id: ID!) { cancelSession(id: $id) { __typename } }', {
      id,
    });
  const { rows } = await sql.query('select point, status from slack_posts');
  expect(rows).toEqual([{ point: 'TERMINAL', status: 'WAITING' }]);
});

test('a worker that dies between a message and its record leaves one message, not two', {
  timeout: 120_000,
}, async () => {
  await start('api');
  app.llm.otherwise({ text: 'The disk is full.' });
  const worker = await startWorker();
  // Slack has posted the message, and the worker dies before it receives the answer.
  const died = Promise.withResolvers<void>();
  slack.onPosted = async () => {
    slack.onPosted = () => {};
    await kill(worker);
    died.resolve();
  };
  await api.submit('disk');
  await died.promise;
  const { rows: lost } = await sql.query('select status, sending_at, message_ts from slack_posts');
  expect(lost).toEqual([{ status: 'WAITING', sending_at: expect.any(Date), message_ts: null }]);

  // The worker's attempt counts as lost.
  await sql.query(`update slack_posts set due_at = now() - interval '5 minutes'`);
  await startWorker();
  await untilTold();
  expect(headings()).toEqual([COMPLETE]);
  const about = slack.requests.map(({ method }) => method).filter((method) => !SETUP_CALLS.includes(method));
  expect(about).toEqual(['chat.postMessage', 'conversations.history']);
  const { rows } = await sql.query('select status, message_ts from slack_posts');
  expect(rows).toEqual([{ status: 'POSTED', message_ts: slack.messages[0]?.ts }]);
});

/** Waits until every message about the session is posted or given up. Any Slack call may be the last one. */
async function untilTold(): Promise<void> {
  const settled = `select count(*) filter (where point = 'TERMINAL') > 0 and bool_and(status <> 'WAITING') as done from slack_posts`;
  await expect
    .poll(async () => (await sql.query<{ done: boolean }>(settled)).rows[0]?.done, {
      timeout: 40_000,
      interval: 100,
    })
    .toBe(true);
}
