import { afterEach, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp } from '../helpers/app.ts';
import { startCluster } from '../helpers/cluster.ts';
import { concludeSession } from '../helpers/hints.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** Running investigations that a responder asks to conclude. */
vi.setConfig({ testTimeout: 120_000 });

let stop: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of stop) await each();
  stop = [];
});

const echo = toolCall('tools.echo', { text: 'var is full' });
const uuidOf = (id: string) => Buffer.from(id, 'base64').toString().split(':')[1];

test('stops the running call, concludes from the results, and leaves out later stages', async () => {
  const agents = [{ name: 'TestAgent' }];
  const app = await startTestApp({
    stages: [
      { name: 'look', agents },
      { name: 'heal', agents },
    ],
  });
  stop.push(() => app.stop());
  const api = apiClient(app.url);
  app.llm.script(
    echo,
    [{ text: 'Let me see' }, { gate: 'looking' }, { hang: true }],
    { text: 'var is full.' },
    { text: 'Summary.' },
  );
  const id = await api.submit('Trouble');
  await app.llm.reached('looking');
  for (let n = 0; n < 2; n++)
    expect(await concludeSession(api, id)).toEqual({ __typename: 'ConcludeSessionSuccess' });
  app.llm.open('looking');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: 'var is full.\n\nNot run, because a responder asked for a conclusion: heal.',
    executiveSummary: 'Summary.',
  });
  const asked = app.llm.requests[2]!;
  expect(asked).toMatchObject({ purpose: 'forced_conclusion', tools: [] });
  expect(asked.messages.at(-2)!.content).toContain('Let me see');
  expect(asked.messages.at(-1)!.content).toContain('A responder asks you to conclude now');
  const { session } = await api.query<{
    session: { health: { earlyConclusions: { reason: string }[] }; timeline: { content: string }[] };
  }>(
    `query ($id: ID!) { session(id: $id) { health { earlyConclusions { reason } }
       timeline(types: [CONCLUSION_REQUESTED]) { content } } }`,
    { id },
  );
  expect(session.health.earlyConclusions).toEqual([{ reason: 'REQUESTED' }]);
  expect(session.timeline).toHaveLength(1);
});

test('sub-agents conclude first, and their agent uses their answers', async () => {
  const app = await startTestApp({
    agents: { Lead: { sub_agents: ['Log'] }, Log: { description: 'Reads logs', mcp_servers: ['tools'] } },
    stages: [{ name: 'lead', agents: [{ name: 'Lead' }] }],
  });
  stop.push(() => app.stop());
  const api = apiClient(app.url);
  const dispatch = toolCall('tarsy.dispatch_agent', { name: 'Log', task: 'Read it.' });
  app.llm.route('You are the agent Log.', [{ gate: 'log' }, { hang: true }], { text: 'Logs fill it.' });
  app.llm.route('You are the agent Lead.', dispatch, { text: 'I wait.' }, ({ messages }) => ({
    text: messages.some(({ content }) => content.includes('Logs fill it.')) ? 'It is the logs.' : 'Unknown.',
  }));
  app.llm.otherwise({ text: 'Summary.' });
  const id = await api.submit('Trouble');
  await app.llm.reached('log');
  await concludeSession(api, id);
  app.llm.open('log');
  const ended = await api.waitFor(id, ({ status }) => ENDED.has(status));
  expect(ended).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'It is the logs.' });
});

test('a request reaches the run with its heartbeat if the notification is lost, and the next worker after a crash', async () => {
  const cluster = await startCluster();
  stop.push(() => cluster.stop());
  const { api, llm, sql } = cluster;
  llm.script(
    echo,
    [{ gate: 'looking' }, { hang: true }],
    [{ gate: 'concluding' }, { hang: true }],
    { text: 'var is full.' },
    { text: 'Summary.' },
  );
  const worker = await cluster.startWorker();
  const id = await api.submit('Trouble');
  await llm.reached('looking');
  await sql.query('update alert_sessions set conclude_requested_at = now() where id = $1', [uuidOf(id)]);
  llm.open('looking');
  await llm.reached('concluding');
  await worker.end('SIGKILL');
  await cluster.startWorker();
  const ended = await api.waitFor(id, ({ status }) => ENDED.has(status));
  expect(ended).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'var is full.' });
  expect(llm.requests.map(({ purpose }) => purpose)).toEqual([
    ...['iteration', 'iteration', 'forced_conclusion', 'forced_conclusion', 'executive_summary'],
  ]);
});

test('a worker process hears of the request at once, not at its next heartbeat', async () => {
  const cluster = await startCluster({ queue: { heartbeat_interval: '10m', lease_duration: '30m' } });
  stop.push(() => cluster.stop());
  const { api, llm } = cluster;
  await cluster.startWorker();
  llm.script(echo, [{ gate: 'looking' }, { hang: true }], { text: 'var is full.' }, { text: 'Summary.' });
  const id = await api.submit('Trouble');
  await llm.reached('looking');
  llm.open('looking');
  await concludeSession(api, id);
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: 'var is full.',
  });
});

test('a session that has not begun is refused', async () => {
  const app = await startTestApp({ queue: { max_concurrent_sessions: 1 } });
  stop.push(() => app.stop());
  const api = apiClient(app.url);
  app.llm.script([{ gate: 'looking' }, { text: 'Nothing.' }]);
  app.llm.otherwise({ text: 'Nothing.' });
  await api.submit('First');
  await app.llm.reached('looking');
  const waiting = await api.submit('Second');
  const answer = await concludeSession(api, waiting);
  expect(answer.__typename).toBe('ConflictError');
  expect(answer.message).toContain('has not begun');
  app.llm.open('looking');
  expect(await api.waitFor(waiting, ({ status }) => ENDED.has(status))).toMatchObject({
    status: 'COMPLETED',
  });
});

test('an agent that still waits for its MCP servers concludes without tools', async () => {
  const app = await startTestApp({
    tools: { transport: { type: 'stdio', command: 'sleep', args: ['600'] } },
    defaults: { timeouts: { mcp_init: '5m' } },
  });
  stop.push(() => app.stop());
  const api = apiClient(app.url);
  app.llm.script({ text: 'Nothing is known.' }, { text: 'Summary.' });
  const id = await api.submit('Trouble');
  const waiting = () => api.query<object>('{ systemState { waiting { reason sessions } } }');
  await expect
    .poll(waiting, { timeout: 30_000 })
    .toEqual({ systemState: { waiting: [{ reason: 'TOOLS', sessions: 1 }] } });
  expect(await concludeSession(api, id)).toEqual({ __typename: 'ConcludeSessionSuccess' });
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: 'Nothing is known.',
  });
  expect(app.llm.requests[0]).toMatchObject({ purpose: 'forced_conclusion', tools: [] });
});
