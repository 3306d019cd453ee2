import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED, type SessionView } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import type { TestConfigOptions } from '../helpers/config.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';

let app: TestApp;
let api: ApiClient;
afterEach(() => app.stop());

interface Tree {
  stages: { type: string; status: string; errorMessage: string | null; executions: { status: string }[] }[];
  timeline: { type: string; status: string; content: string }[];
}

async function read(id: string): Promise<Tree> {
  const { session } = await api.query<{ session: Tree }>(
    `query ($id: ID!) { session(id: $id) { stages { type status errorMessage executions { status } }
       timeline { type status content } } }`,
    { id },
  );
  return session;
}

async function investigate(
  options: TestConfigOptions,
  ...responses: ScriptedResponse[]
): Promise<{ id: string; session: SessionView } & Tree> {
  app = await startTestApp(options);
  api = apiClient(app.url);
  app.llm.script(...responses);
  const id = await api.submit('Trouble');
  const session = await api.waitFor(id, ({ status }) => ENDED.has(status));
  return { id, session, ...(await read(id)) };
}

const timeouts = (limits: Record<string, string>) => ({ defaults: { timeouts: limits } });

const ofAgent = { agents: { TestAgent: { mcp_servers: ['tools'], iteration_timeout: '2s' } } };

test.each([
  ['all agents', timeouts({ iteration: '2s' })],
  ['the agent', ofAgent],
])('two iterations in a row longer than the limit of %s end agent, stage and session', async (_, limits) => {
  const { session, stages, timeline } = await investigate(limits, [{ text: 'Half ' }, { hang: true }], {
    hang: true,
  });
  expect(session.status).toBe('TIMED_OUT');
  expect(session.errorMessage).toContain('2 timeouts in a row');
  expect(stages).toMatchObject([{ status: 'TIMED_OUT', executions: [{ status: 'TIMED_OUT' }] }]);
  expect(timeline.map(({ type, status }) => [type, status])).toEqual([
    ['LLM_RESPONSE', 'TIMED_OUT'],
    ['ERROR', 'COMPLETED'],
    ['ERROR', 'COMPLETED'],
  ]);
});

test('one iteration that times out is reported to the model with its partial text, and repeated', async () => {
  const { session } = await investigate(
    timeouts({ iteration: '2s' }),
    [{ text: 'Half of it' }, { hang: true }],
    { text: 'All of it.' },
    { text: 'Summary.' },
  );
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'All of it.' });
  const told = app.llm.requests[1]!.messages.at(-1)!.content;
  expect(told).toContain('took too long');
  expect(told).toContain('Half of it');
});

test('an iteration that times out in a tool call continues with what is known of the call', async () => {
  const { session, timeline } = await investigate(
    timeouts({ iteration: '2s' }),
    // The call's own time limit equals the iteration's and starts later.
    [{ waitMs: 300 }, toolCall('tools.hang')],
    { text: 'It hangs.' },
    { text: 'Summary.' },
  );
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'It hangs.' });
  expect(timeline[0]).toMatchObject({ type: 'LLM_TOOL_CALL', status: 'TIMED_OUT' });
  const told = app.llm.requests[1]!.messages.at(-1)!;
  expect(told).toMatchObject({ role: 'tool', toolName: 'tools.hang' });
  expect(told.content).toContain('at the time limit of this iteration');
});

test('stops a model call that never ends, and keeps its text', async () => {
  const trickle = Array.from({ length: 200 }, (_, n) => [{ text: `piece ${n} ` }, { waitMs: 20 }]).flat();
  const { session, timeline } = await investigate(
    timeouts({ llm_call: '2s' }),
    trickle,
    { text: 'Briefly.' },
    { text: 'Summary.' },
  );
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Briefly.' });
  expect(timeline.slice(0, 2)).toMatchObject([
    { type: 'LLM_RESPONSE', status: 'TIMED_OUT', content: expect.stringMatching(/^piece 0 piece 1 /) },
    { type: 'ERROR', content: expect.stringContaining('llm_call_timeout') },
  ]);
});

test('distinguishes a silent model from one that falls silent', async () => {
  const { session, timeline } = await investigate(
    timeouts({ llm_first_token: '4s', llm_stall: '4s' }),
    { hang: true },
    { text: 'Well.' },
    { text: 'Summary.' },
  );
  expect(session.status).toBe('COMPLETED');
  expect(timeline[0]!.content).toContain('first_token_timeout');
  const { timeline: second } = await again(
    [{ text: 'Hm' }, { hang: true }],
    { text: 'Well.' },
    { text: 'Summary.' },
  );
  expect(second[0]).toMatchObject({ type: 'LLM_RESPONSE', status: 'TIMED_OUT', content: 'Hm' });
  expect(second[1]!.content).toContain('stall_timeout');
});

/** Runs a further investigation in the same application. */
async function again(...responses: ScriptedResponse[]): Promise<Tree> {
  app.llm.script(...responses);
  const id = await api.submit('More trouble');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  return read(id);
}

test('an executive summary that times out does not fail the session', async () => {
  const { session, timeline } = await investigate(
    timeouts({ executive_summary: '2s' }),
    { text: 'The analysis.' },
    [{ text: 'In sh' }, { hang: true }],
  );
  expect(session).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: 'The analysis.',
    executiveSummary: null,
  });
  expect(session.executiveSummaryError).not.toBeNull();
  expect(timeline.at(-1)).toMatchObject({ type: 'EXECUTIVE_SUMMARY', status: 'TIMED_OUT', content: 'In sh' });
});

test("parallel agents all time out when the session's time is up", async () => {
  const { session, stages } = await investigate(
    {
      queue: { session_timeout: '8s' },
      agents: { DiskAgent: {}, LogAgent: {} },
      stages: [{ name: 'look', agents: [{ name: 'DiskAgent' }, { name: 'LogAgent' }] }],
    },
    ...Array.from({ length: 4 }, () => ({ hang: true }) as const),
  );
  expect(session).toMatchObject({ status: 'TIMED_OUT', finalAnalysis: null });
  expect(stages).toMatchObject([
    { status: 'TIMED_OUT', executions: [{ status: 'TIMED_OUT' }, { status: 'TIMED_OUT' }] },
  ]);
});

test('an answer that times out does so on every level, and the next question is answered', async () => {
  const { id } = await investigate(
    // Without tools, whose start takes seconds on a busy machine.
    { queue: { session_timeout: '12s' }, agents: { TestAgent: {} } },
    { text: 'The disk is full.' },
    { text: 'Summary.' },
  );
  app.llm.script([{ text: 'Well, ' }, { hang: true }], { hang: true });
  expect(await waitForStageEnd(api, id, await askQuestion(api, id, 'Why?'))).toBe('TIMED_OUT');
  const { stages, timeline } = await read(id);
  expect(stages[1]).toMatchObject({
    type: 'CHAT',
    status: 'TIMED_OUT',
    executions: [{ status: 'TIMED_OUT' }],
  });
  expect(timeline).toContainEqual(expect.objectContaining({ status: 'TIMED_OUT', content: 'Well, ' }));
  app.llm.script({ text: 'Because.' });
  expect(await waitForStageEnd(api, id, await askQuestion(api, id, 'Why now?'))).toBe('COMPLETED');
});

/**
 * Moves the start of running work and the last heartbeat of its worker into the past, as in a database
 * restored from a backup.
 */
async function leaveAlone(workedMinutes: number, idleMinutes: number): Promise<void> {
  const ago = (minutes: number) => `now() - interval '${minutes} min'`;
  const sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
  for (const table of ['stages', 'alert_sessions'])
    await sql.query(
      `update ${table} set started_at = ${ago(workedMinutes + idleMinutes)} where completed_at is null`,
    );
  await sql.query(`update alert_sessions set last_interaction_at = ${ago(idleMinutes)},
    lease_expires_at = ${ago(idleMinutes - 1)}, attempt = attempt + 1`);
  await sql.end();
}

test.each([
  ['2 minutes of work and an idle hour do not reach a limit of 40', 2, 60, 'COMPLETED'],
  ['50 minutes of work exceed it, whichever worker takes over', 50, 10, 'TIMED_OUT'],
])('%s: an investigation, an answer', async (_, worked, idle, status) => {
  app = await startTestApp();
  api = apiClient(app.url);
  app.llm.script([{ gate: 'never' }]);
  const id = await api.submit('Trouble');
  await app.llm.reached('never');
  const isAsked = (content: string) => content.includes('Why?');
  app.llm.otherwise(({ messages }) =>
    messages.some(({ content }) => isAsked(content))
      ? [{ gate: 'answer' }, { text: 'Because.' }]
      : { text: 'Full.' },
  );
  await leaveAlone(worked, idle);
  expect((await api.waitFor(id, ({ status: now }) => ENDED.has(now))).status).toBe(status);

  const stage = await askQuestion(api, id, 'Why?');
  await app.llm.reached('answer');
  await leaveAlone(worked, idle);
  app.llm.open('answer');
  expect(await waitForStageEnd(api, id, stage)).toBe(status);
});

test('a session that reaches its limit during the summary keeps its conclusion, and says so', async () => {
  app = await startTestApp();
  api = apiClient(app.url);
  app.llm.script({ text: 'The disk is full.' }, [{ gate: 'summary' }]);
  const id = await api.submit('Trouble');
  await app.llm.reached('summary');
  await leaveAlone(50, 10);
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: 'The disk is full.',
    executiveSummaryError: 'The session reached its limit of 40 min.',
  });
});
