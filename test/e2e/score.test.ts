import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import {
  dimensionScore,
  endedScore,
  handedIn,
  requestScore,
  SCORE_FIELDS,
  type Score,
  score,
} from '../helpers/scores.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Tests scores of investigations: by the judge, automatically or on request, one at a time. */
let app: TestApp;
let api: ApiClient;
/** Number of model calls before the test. */
let before: number;

/** Known as a secret only because the configuration contains it. */
const CONFIGURED_SECRET = 'blue-kettle-on-the-hill';

const stages = [{ name: 'look', agents: [{ name: 'TestAgent' }] }];

beforeAll(async () => {
  app = await startTestApp({
    env: { OTHER_TOKEN: CONFIGURED_SECRET },
    mcpServers: {
      other: { transport: { type: 'http', url: 'http://127.0.0.1:9/mcp', bearer_token: '{{.OTHER_TOKEN}}' } },
    },
    chains: {
      judged: {
        alert_types: ['judged'],
        scoring: { enabled: true, llm_provider: 'scripted-small' },
        stages,
      },
      changing: {
        alert_types: ['changing'],
        scoring: { llm_provider: 'scripted-small' },
        fallback_providers: [{ provider: 'scripted-google' }],
        stages,
      },
      poor: { alert_types: ['poor'], scoring: { enabled: true }, stages },
    },
    budgets: {
      of_poor: { scope: 'alert_type', only: ['poor'], per: 'month', limit_tokens: 45, degrade: ['conclude'] },
    },
  });
});
afterAll(() => app.stop());
beforeEach(() => {
  api = apiClient(app.url);
  before = app.llm.requests.length;
});

const LONG = { timeout: 60_000, interval: 50 };

/** Responses of an investigation with one tool call. */
const INVESTIGATION: ScriptedResponse[] = [
  toolCall('tools.count_lines', { n: 3 }),
  { text: 'The disk is full [T1].' },
  { text: 'In short: full.' },
];

async function investigated(alertType: string, ...more: ScriptedResponse[]): Promise<string> {
  app.llm.script(...INVESTIGATION, ...more);
  const id = await api.submit('disk of db-1 at 91%', { alertType });
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  return id;
}

const ask = (id: string) => requestScore(api, id);
const scored = (id: string, others?: readonly string[]) => endedScore(api, id, others);

async function read(id: string) {
  const { session } = await api.query<{
    session: {
      status: string;
      scores: Score[];
      stages: { type: string; status: string }[];
      timeline: { type: string }[];
      tokenUsage: { totalTokens: number };
      trace: {
        sessionInteractions: { type: string; errorMessage: string | null; response: { text: string } }[];
      };
    };
  }>(
    `query ($id: ID!) { session(id: $id) { status scores { ${SCORE_FIELDS} } stages { type status } timeline { type }
       tokenUsage { totalTokens } trace { sessionInteractions { type errorMessage response } } } }`,
    { id },
  );
  return session;
}

const requests = (): GenerateRequest[] =>
  app.llm.requests.slice(before).filter(({ purpose }) => purpose === 'scoring');

test('scores a completed investigation automatically with the judge’s own model, and changes nothing else', async () => {
  const said = `password: hunter2-is-it AKIAIOSFODNN7EXAMPLE, says ${CONFIGURED_SECRET}`;
  const judged = { ...score(`Sound. ${said}`), tool_report: `Add a tool. ${said}` };
  judged.dimensions.tools.reason = said;
  const id = await investigated('judged', toolCall('submit_score', judged));
  const found = await scored(id);
  expect(found).toMatchObject({
    ...{ status: 'COMPLETED', total: 72, failureTags: ['incomplete_evidence'] },
    ...{ model: 'scripted-3', requestedBy: 'auto', errorMessage: null },
    promptHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    dimensions: { outcome: dimensionScore(80), completeness: dimensionScore(70) },
    analysis: expect.stringContaining('Sound.'),
  });
  expect(found.toolReport).toContain('Add a tool.');

  const [asked] = requests();
  expect(asked).toMatchObject({
    ...{ purpose: 'scoring', toolChoice: 'submit_score', tools: [{ name: 'submit_score' }] },
    llmConfig: { model: 'scripted-3' },
    task: { works: [{ analysis: 'The disk is full [T1].', outputs: [{ number: 1, failed: false }] }] },
  });
  const user = asked!.messages[1]!.content;
  expect(user).toContain('-----BEGIN ALERT DATA-----\ndisk of db-1 at 91%\n');
  expect(user).toContain('[T1]\n-----BEGIN TOOL RESULT-----\nline 1\n');
  expect(user).toContain('tools.count_lines');

  const stored = await read(id);
  expect(stored).toMatchObject({ status: 'COMPLETED', scores: [{ id: found.id }], stages: [{}] });
  expect(stored.tokenUsage.totalTokens).toBe(4 * 15); // the usage includes the score's call
  const last = stored.trace.sessionInteractions.at(-1)!;
  expect(last).toMatchObject({ type: 'SCORING', errorMessage: null });
  for (const secret of ['hunter2', CONFIGURED_SECRET])
    expect(JSON.stringify([found, last.response])).not.toContain(secret);
  app.llm.assertNoUnusedScripts();
});

test('two simultaneous requests make one score, and a new request keeps the previous one', async () => {
  const id = await investigated('test');
  expect(await read(id)).toMatchObject({ scores: [] });
  app.llm.script([{ gate: 'judge' }, handedIn('First.')], handedIn('Second.', 20));
  const answers = await Promise.all([ask(id), ask(id), ask(id)]);
  expect(answers.map(({ code }) => code ?? 'taken').sort()).toEqual(['CONFLICT', 'CONFLICT', 'taken']);
  await app.llm.reached('judge');
  expect(await ask(id)).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('being scored') });
  app.llm.open('judge');
  const first = await scored(id);
  expect(first).toMatchObject({ analysis: 'First.', total: 72 });
  expect((await ask(id)).score).toMatchObject({ status: 'PENDING', total: null });
  const second = await scored(id, [first.id]);
  expect(second).toMatchObject({ analysis: 'Second.', total: 34 });
  expect((await read(id)).scores.map(({ analysis }) => analysis)).toEqual(['Second.', 'First.']);
  const pool = new pg.Pool({ connectionString: app.database.url, max: 1 });
  const { rows } = await pool.query(
    `select target_type from audit_events where action = 'session.score' and target_id = $1`,
    [Buffer.from(id, 'base64').toString().replace('Session:', '')],
  );
  await pool.end();
  expect(rows).toEqual([{ target_type: 'Session' }, { target_type: 'Session' }]);
  app.llm.assertNoUnusedScripts();
});

test('an incomplete answer goes back once, and then there is a score or a reason for none', async () => {
  const id = await investigated('test');
  const half = { ...score('Half.'), dimensions: { outcome: dimensionScore(80) } };
  app.llm.script(toolCall('submit_score', half, 'a'), handedIn('Mended.'));
  await ask(id);
  const mended = await scored(id);
  expect(mended).toMatchObject({ status: 'COMPLETED', analysis: 'Mended.' });
  const [, repair] = requests();
  expect(repair!.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  expect(repair!.messages.at(-1)).toMatchObject({
    toolCallId: 'a',
    content: expect.stringContaining('dimensions.evidence'),
  });

  app.llm.script({ text: 'I give it 100.' }, toolCall('submit_score', half, 'b'));
  await ask(id);
  const none = await scored(id, [mended.id]);
  expect(none).toMatchObject({
    ...{ status: 'FAILED', total: null, dimensions: null, failureTags: [], analysis: null },
    ...{ model: 'scripted-1', errorMessage: expect.stringContaining('dimensions.evidence') },
  });

  app.llm.script({ error: { code: 'invalid_request', message: 'no such model' } });
  await ask(id);
  expect(await scored(id, [mended.id, none.id])).toMatchObject({
    status: 'FAILED',
    errorMessage: expect.stringContaining('no such model'),
  });
  app.llm.assertNoUnusedScripts();
});

test('the next judge takes over completely from an unavailable one, and the score names it', async () => {
  const id = await investigated('changing');
  const half = { ...score('Half.'), dimensions: { outcome: dimensionScore(80) } };
  const broken: ScriptedResponse = { error: { code: 'partial_stream_error', retryable: true } };
  app.llm.script(toolCall('submit_score', half, 'a'), broken, handedIn('Of another.'));
  await ask(id);
  expect(await scored(id)).toMatchObject({
    ...{ status: 'COMPLETED', analysis: 'Of another.', model: 'scripted-2' },
  });
  expect(requests().map(({ llmConfig }) => llmConfig?.model)).toEqual([
    ...['scripted-3', 'scripted-3', 'scripted-2'],
  ]);
  const roles = requests().map(({ messages }) => messages.map(({ role }) => role));
  expect(roles.at(-1)).toEqual(['system', 'user']);
  const { trace } = await read(id);
  expect(
    trace.sessionInteractions
      .filter(({ type }) => type === 'SCORING')
      .map(({ errorMessage }) => errorMessage),
  ).toEqual([null, expect.stringContaining('partial_stream_error'), null]);
});

test('cancels a score, and refuses sessions that cannot be scored', async () => {
  const id = await investigated('test', [{ gate: 'never' }, handedIn('Too late.')], { gate: 'answer' });
  await ask(id);
  await app.llm.reached('never');
  await api.query(
    `mutation ($input: SendChatMessageInput!) { sendChatMessage(input: $input) { __typename } }`,
    { input: { sessionId: id, content: 'Why?' } },
  );
  await app.llm.reached('answer'); // the answer starts although the judge has not ended
  const cancel = (session = id) =>
    api.query<{ cancelSession: { __typename: string; session?: { status: string } } }>(
      `mutation ($id: ID!) { cancelSession(id: $id) { __typename ... on CancelSessionSuccess { session { status } } } }`,
      { id: session },
    );
  expect(await cancel()).toMatchObject({ cancelSession: { session: { status: 'COMPLETED' } } });
  const ofStages = async () => (await read(id)).stages.map(({ type, status }) => [type, status]);
  await expect.poll(ofStages, LONG).toContainEqual(['CHAT', 'CANCELLED']);
  // The answer runs first, and no other answer at the same time.
  expect((await read(id)).scores).toMatchObject([{ status: 'IN_PROGRESS' }]);
  await cancel();
  expect(await scored(id)).toMatchObject({ status: 'FAILED', total: null, errorMessage: 'Cancelled.' });
  expect(await cancel()).toMatchObject({ cancelSession: { __typename: 'ConflictError' } });

  app.llm.script({ gate: 'on' });
  const running = await api.submit('another');
  onTestFinished(async () => {
    await cancel(running);
    await api.waitFor(running, ({ status }) => ENDED.has(status));
  });
  await app.llm.reached('on');
  expect(await ask(running)).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('not ended'),
  });
  expect(await ask('00000000-0000-7000-8000-000000000000')).toMatchObject({ code: 'NOT_FOUND' });
});

test('an exhausted budget stops automatic scores but not requested ones', async () => {
  const id = await investigated('poor');
  const none = await scored(id);
  expect(none).toMatchObject({ status: 'FAILED', errorMessage: expect.stringContaining('of_poor') });
  expect(requests()).toEqual([]);
  app.llm.script(handedIn('Asked for.'));
  await ask(id);
  expect(await scored(id, [none.id])).toMatchObject({ status: 'COMPLETED', analysis: 'Asked for.' });
});
