import { resolve } from 'node:path';
import { Writable } from 'node:stream';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { databaseTexts } from '../helpers/database-texts.ts';
import { type Internet, PUBLIC_ADDRESS, startInternet } from '../helpers/internet.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';
import { startFakeSlack } from '../helpers/slack/server.ts';
import type { FakeSlack } from '../helpers/slack/types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from '../helpers/slack/workspace.ts';
import { ask, expectNowhere, type Places, watch, watchChat } from './everything.ts';
import { PLANTED } from './secrets.ts';

const SERVER = resolve(import.meta.dirname, '../helpers/mcp/leaky-server.ts');
const PAGE = 'https://github.com/o/r/blob/main/db.md';
const FILE = 'https://raw.githubusercontent.com/o/r/main/db.md';
const SECRETS = {
  ...PLANTED,
  runbookPage: 'Syn7hetic-runbook-page-9',
  slackMessage: 'Syn7hetic-slack-message-9',
  githubToken: 'Syn7hetic-github-token-9',
  slackToken: SLACK_TOKEN,
};

let slack: FakeSlack;
let internet: Internet;
let app: TestApp;
let api: ApiClient;
let sql: pg.Pool;
let log = '';
beforeAll(async () => {
  [slack, internet] = await Promise.all([startFakeSlack(), startInternet()]);
  internet.names.set('raw.githubusercontent.com', [PUBLIC_ADDRESS]);
  const stdio = (...more: string[]) => ({
    transport: { type: 'stdio', command: process.execPath, args: [SERVER, ...more] },
    allow_changes: true,
  });
  app = await startTestApp({
    system: {
      slack: { enabled: true, channel: SLACK_CHANNEL, token_env: 'MY_SLACK_TOKEN' },
      github: { token_env: 'MY_GITHUB_TOKEN', repositories: ['o/r'] },
    },
    env: { MY_SLACK_TOKEN: SLACK_TOKEN, MY_GITHUB_TOKEN: SECRETS.githubToken },
    mcpServers: { leaky: stdio(), broken: stdio('broken') },
    agents: { TestAgent: { mcp_servers: ['leaky', 'broken'] } },
    network: internet.network,
    slackApiUrl: slack.url,
    logLevel: 'trace',
    logTo: new Writable({
      write(chunk: Buffer, _encoding, done) {
        log += chunk;
        done();
      },
    }),
  });
  api = apiClient(app.url);
  sql = new pg.Pool({ connectionString: app.database.url });
});
afterAll(async () => {
  await sql.end();
  await app.stop();
  await Promise.all([slack.close(), internet.close()]);
});

/** Returns the text of the conversation's messages of this role, as the model quotes them. */
const quoting =
  (role: string): ScriptedResponse =>
  ({ messages }) => ({
    text: messages
      .filter((message) => message.role === role)
      .map(({ content }) => content)
      .join('\n'),
  });

test('secrets of a fetched runbook, an alert, a question and tools reach no Slack post, even if the model quotes them', async () => {
  internet.pages.set(FILE, `# visible-page\n\nlogin: postgres://app:${SECRETS.runbookPage}@db/app\n`);
  slack.say(`DB down, fingerprint fp-9, password: ${SECRETS.slackMessage}`);
  app.llm.script(
    [toolCall('leaky.get_secret'), toolCall('leaky.fail'), toolCall('leaky.crash')],
    toolCall('leaky.login', { user: 'visible-user', password: PLANTED.toolArguments }),
    quoting('tool'),
    quoting('user'),
  );
  const id = await api.submit(`visible-alert: {"password":"${PLANTED.alert}"}`, {
    runbookUrl: PAGE,
    slackMessageFingerprint: 'fp-9',
  });
  const watching = watchChat(api, id);
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  await slack.answered('chat.postMessage', 2);
  app.llm.script(toolCall('leaky.get_secret'), quoting('user'));
  await ask(api, id, `visible-question: is password=${PLANTED.chat} right?`);
  const events = await watching;

  app.llm.script({
    error: {
      code: 'invalid_request',
      message: `visible-refusal of ${PLANTED.providerError}`,
      retryable: false,
    },
  });
  const failed = await api.submit(`visible-alert: password=${PLANTED.alert}`, { runbookUrl: PAGE });
  const moreEvents = await watch(api, failed, ({ session }) => ENDED.has(session?.status ?? ''));
  await slack.answered('chat.postMessage', 3);
  app.llm.assertNoUnusedScripts();

  const places: Places = {
    ...(await databaseTexts(sql)),
    events,
    moreEvents,
    prompts: JSON.stringify(app.llm.requests),
    posts: JSON.stringify(slack.requests.map(({ args }) => args)),
    log,
  };
  expectNowhere(SECRETS, places);
  expectUsed(places);
});

/** Asserts that each secret was really used, and that the text around it arrived. */
function expectUsed({ posts = '', prompts = '', events = '', moreEvents = '', log = '' }: Places): void {
  expect(internet.requests[0]?.headers.authorization).toBe(`Bearer ${SECRETS.githubToken}`);
  expect(slack.messages.filter(({ thread_ts: thread }) => thread !== undefined)).toHaveLength(2);
  for (const text of [
    'visible-name',
    'DB_PASSWORD=[MASKED_PASSWORD]',
    'login failed for postgres://app:[MASKED_PASSWORD]@db/app',
    'visible-user is in',
    'visible-refusal of [MASKED_API_KEY]',
  ])
    expect(posts).toContain(text);
  expect(prompts).toContain('# visible-page\\n\\nlogin: postgres://app:[MASKED_PASSWORD]@db/app');
  expect(prompts).toContain('visible-alert: {\\"password\\":\\"[MASKED_PASSWORD]\\"}');
  expect(events).toContain('visible-question: is password=[MASKED_PASSWORD] right?');
  expect(events).toContain(String.raw`{\"user\":\"visible-user\",\"password\":\"[MASKED_PASSWORD]\"}`);
  expect(moreEvents).toContain('visible-refusal of [MASKED_API_KEY]');
  expect(log).toContain('visible-stderr password=[MASKED_PASSWORD]');
}
