import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { databaseTexts } from '../helpers/database-texts.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';
import { ask, expectNowhere, type Places, watchChat } from './everything.ts';
import { PLANTED } from './secrets.ts';

const SERVER = resolve(import.meta.dirname, '../helpers/mcp/leaky-server.ts');

let cluster: Cluster;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tarsy-masking-'));
  const stdio = (...more: string[]) => ({
    transport: {
      type: 'stdio',
      command: process.execPath,
      args: [SERVER, ...more],
      env: { TOOL_LOG: join(folder, 'passwords') },
    },
    allow_changes: true,
    summarization: { size_threshold_tokens: 1000, summary_max_token_limit: 100 },
  });
  cluster = await startCluster({
    queue: { lease_duration: '60s' }, // a run that is repeated after a pause would take further responses
    env: { LOG_LEVEL: 'debug' },
    defaults: { runbook: `# visible-runbook\n\nLog in with password: ${PLANTED.runbook}` },
    mcpServers: { leaky: stdio(), broken: stdio('broken') },
    agents: {
      TestAgent: { mcp_servers: ['leaky', 'broken'] },
      ReactAgent: { mcp_servers: ['leaky'], iteration_strategy: 'react' },
    },
    stages: [
      { name: 'collect', agents: [{ name: 'TestAgent' }] },
      { name: 'explain', agents: [{ name: 'ReactAgent', iteration_strategy: 'react' }] },
    ],
  });
  await cluster.startWorker();
});
afterAll(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true });
});

const login = (password: string) => ({ user: 'app', password });
const reactLogin = (password: string) =>
  `Thought: Log in.\nAction: leaky.login\nAction Input: ${JSON.stringify(login(password))}`;

const INVESTIGATION: ScriptedResponse[] = [
  {
    error: { code: 'rate_limited', message: `visible-refusal of ${PLANTED.providerError}`, retryable: true },
  },
  [toolCall('leaky.get_secret'), toolCall('leaky.fail'), toolCall('leaky.crash'), toolCall('leaky.get_log')],
  { text: 'The log is all alike.' }, // the response to the summary request
  [toolCall('leaky.login', login(PLANTED.toolArguments))],
  { text: 'Understood.' },
  [{ text: reactLogin(PLANTED.brokenArguments) }, { breakOff: 'stream' }],
  { text: reactLogin(PLANTED.reactArguments) },
  { text: 'Thought: Enough.\nFinal Answer: Understood as well.' },
  { text: 'All is understood.' },
  { text: 'In short: understood.' },
];

test('secrets from any source reach no table, event, prompt or log', {
  timeout: 120_000,
}, async () => {
  const { api, llm, sql } = cluster;
  llm.script(...INVESTIGATION);
  const id = await api.submit(`DB down: postgres://app:${PLANTED.alert}@db/app, pod visible-pod`);
  const watching = watchChat(api, id);
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  llm.script([toolCall('leaky.get_secret')], { text: 'Answered.' });
  await ask(api, id, `visible-question: is {"password":"${PLANTED.chat}"} right?`);
  const events = await watching;
  llm.assertNoUnusedScripts();

  const places: Places = {
    ...(await databaseTexts(sql)),
    events,
    prompts: JSON.stringify(llm.requests),
    log: cluster.log().join('\n'),
  };
  expectNowhere(PLANTED, places);
  expectUsed(places);
  // Tools get the unmasked arguments of the model.
  expect(await readFile(join(folder, 'passwords'), 'utf8')).toBe(
    `${PLANTED.toolArguments}\n${PLANTED.reactArguments}\n`,
  );
});

/** Asserts that each planted secret passed through, by the text around the secret. */
function expectUsed(places: Places): void {
  const { prompts = '', events = '', log = '' } = places;
  expect(places['public.alert_sessions']).toContain('visible-pod');
  expect(places['public.mcp_interactions']).toContain('visible-name');
  expect(places['public.mcp_interactions']).toContain('visible-log password=[MASKED_PASSWORD]');
  expect(places['public.messages']).toContain('[MASKED_SECRET_DATA]');
  expect(places['public.chat_user_messages']).toContain('visible-question');
  expect(prompts).toContain('DB_PASSWORD=[MASKED_PASSWORD]');
  expect(prompts).toContain('login failed for postgres://app:[MASKED_PASSWORD]@db/app');
  expect(prompts).toContain('visible-log password=[MASKED_PASSWORD]');
  expect(prompts).toContain('# visible-runbook\\n\\nLog in with password: [MASKED_PASSWORD]');
  expect(prompts).toContain(
    'Log in.\\nAction: leaky.login\\nAction Input: {\\"user\\":\\"app\\",\\"password\\":\\"[MASKED_',
  );
  expect(prompts).toContain('app is in; {\\"password\\": \\"[MASKED_PASSWORD]\\"}');
  expect(events).toContain('visible-refusal of [MASKED_API_KEY]');
  expect(events).toContain('visible-question');
  expect(events).toContain(String.raw`{\"user\":\"app\",\"password\":\"[MASKED_PASSWORD]\"}`);
  expect(log).toContain('visible-stderr password=[MASKED_PASSWORD]');
}
