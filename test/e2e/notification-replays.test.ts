import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { caseClient } from '../helpers/cases.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { type MailServer, startMailServer } from '../helpers/mail-server.ts';
import { type Receiver, startReceiver } from '../helpers/receiver.ts';
import { startFakeSlack } from '../helpers/slack/server.ts';
import type { FakeSlack } from '../helpers/slack/types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from '../helpers/slack/workspace.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Replays with a channel of each kind. */
let receivers: Record<'hook' | 'teams' | 'mattermost', Receiver>;
let mail: MailServer;
let slack: FakeSlack;
let app: TestApp;
let api: ApiClient;
beforeEach(async () => {
  const [hook, teams, mattermost] = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
  receivers = { hook, teams, mattermost };
  [mail, slack] = await Promise.all([startMailServer(), startFakeSlack()]);
  app = await startTestApp({
    defaults: { report: { enabled: true } },
    queue: { max_concurrent_sessions: 3 },
    slackApiUrl: slack.url,
    env: {
      HOOK_SECRET: `whsec_${Buffer.alloc(32, 3).toString('base64')}`,
      ...{ TEAMS_URL: teams.url, MATTERMOST_URL: mattermost.url, MY_SLACK_TOKEN: SLACK_TOKEN },
    },
    notifications: {
      channels: {
        hook: { kind: 'webhook', url: hook.url, secrets_env: ['HOOK_SECRET'], allow_private: true },
        teams: { kind: 'teams', url_env: 'TEAMS_URL', allow_private: true },
        mattermost: { kind: 'mattermost', url_env: 'MATTERMOST_URL', allow_private: true },
        mail: {
          ...{ kind: 'email', host: '127.0.0.1', port: mail.port, allow_private: true },
          ...{ from: 'tarsy@example.com', to: ['ops@example.com'] },
        },
        slack: { kind: 'slack', channel: SLACK_CHANNEL, token_env: 'MY_SLACK_TOKEN' },
        unasked: { kind: 'webhook', url: hook.url, secrets_env: ['HOOK_SECRET'], allow_private: true },
      },
      rules: [
        { events: ['replay.worse'], channels: ['hook', 'teams', 'mattermost', 'mail', 'slack'] },
        { events: ['session.ended'], verdicts: ['inconclusive'], channels: ['unasked'] },
      ],
    },
  });
  app.llm.otherwise(({ purpose }) => (purpose === 'report' ? REPORT : { text: 'The disk is full.' }));
  api = apiClient(app.url);
});
afterEach(async () => {
  await app.stop();
  await Promise.all([...Object.values(receivers), mail, slack].map((each) => each.close()));
});

const REPORT = {
  text: JSON.stringify({
    ...{ verdict: 'ACTION_REQUIRED', headline: 'It is full.', confidence: 0.9, entities: [] },
    claims: [{ kind: 'RECOMMENDATION', text: 'Free some space.', citations: [], facts: [] }],
  }),
};

test('a suite of replays that answers worse than its source is told once to each channel that a rule names', async () => {
  const sessionId = await api.submit('disk of db-1 at 91%');
  await api.waitFor(sessionId, ({ status }) => ENDED.has(status));
  const cases = caseClient(api);
  const replayed = async (name: string, verdict: string) => {
    const made = await cases.create({ sessionId, name, verdict });
    const { replays } = await cases.start({ caseId: made.case!.id, runs: 3 });
    for (const { session } of replays!) await api.waitFor(session.id, ({ status }) => ENDED.has(status));
  };
  await replayed('as-before', 'ACTION_REQUIRED');
  await replayed('expects-less', 'NO_ACTION');

  const why =
    '1 of 1 case answered worse than expected.\n- expects-less with scripted (scripted-1): 0 of 3 decided replays passed, ' +
    '3 confidently wrong; verdict: ACTION_REQUIRED, expected NO_ACTION';
  const event = JSON.parse((await receivers.hook.nth(1)).body);
  expect(event).toMatchObject({
    type: 'tarsy.replay.worse',
    data: {
      title: 'Replays answer worse than expected',
      ...{ session: null, why, link: expect.stringMatching(/\/review\/cases$/) },
    },
  });
  for (const kind of ['teams', 'mattermost'] as const)
    expect((await receivers[kind].nth(1)).body).toContain('0 of 3 decided replays passed');
  expect((await mail.nth(1)).parts['text/plain']).toContain('0 of 3 decided replays passed');
  await slack.answered('chat.postMessage', 1);
  expect(JSON.stringify(slack.messages[0]!.blocks)).toContain('0 of 3 decided replays passed');

  const pool = openTestPool(app.database.url);
  const settled = async () =>
    (await pool.query('select channel, event, status from notification_deliveries order by channel')).rows;
  await expect.poll(settled).toEqual(
    ['hook', 'mail', 'mattermost', 'slack', 'teams'].map((channel) => ({
      ...{ channel, event: 'replay.worse', status: 'DELIVERED' },
    })),
  );
  await pool.end();
});

test('a suite spans requests, and its values are checked', async () => {
  const sessionId = await api.submit('disk of db-1 at 91%');
  await api.waitFor(sessionId, ({ status }) => ENDED.has(status));
  const cases = caseClient(api);
  const ids: string[] = [];
  for (const name of ['one', 'two'])
    ids.push((await cases.create({ sessionId, name, verdict: 'NO_ACTION' })).case!.id);
  const id = '019ac0f2-7d3e-4a51-b3a5-5a2c6a3f9d10';
  for (const suite of [
    { id: 'x', size: 2 },
    { id, size: 0 },
    { id, size: 10_001 },
  ])
    expect(await cases.start({ caseId: ids[0], suite })).toMatchObject({ code: 'VALIDATION' });
  for (const caseId of ids) await cases.run({ caseId, suite: { id, size: 2 } });
  await receivers.hook.nth(1);
  expect(JSON.parse(receivers.hook.received[0]!.body).data.why).toMatch(
    /^2 of 2 cases answered worse than expected\.\n- one .*\n- two /,
  );
  expect(receivers.hook.received).toHaveLength(1);
});
