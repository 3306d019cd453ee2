import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { caseFiles } from '../../src/cases/folder.ts';
import { parseCaseDocument } from '../../src/cases/parse-document.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { caseClient } from '../helpers/cases.ts';
import { claimedFact } from '../helpers/report.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';
import { startFakeSlack } from '../helpers/slack/server.ts';
import type { FakeSlack } from '../helpers/slack/types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from '../helpers/slack/workspace.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Replays with a scripted model. Each start of the MCP server and each of its calls is a line in a log. */
let folder: string;
let slack: FakeSlack;
let app: TestApp;
let api: ApiClient;
let cases: ReturnType<typeof caseClient>;
const TOOL_SERVER = resolve(import.meta.dirname, '../helpers/tool-server.ts');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tarsy-replay-'));
  slack = await startFakeSlack();
  const log = join(folder, 'reached');
  const start = `echo start >> ${log}; exec ${process.execPath} --disable-warning=ExperimentalWarning ${TOOL_SERVER}`;
  app = await startTestApp({
    tools: {
      transport: { type: 'stdio', command: 'sh', args: ['-c', start], env: { TOOL_LOG: log } },
    },
    defaults: { report: { enabled: true } },
    system: {
      mcp_health: { interval: '1h' },
      slack: { enabled: true, channel: SLACK_CHANNEL, token_env: 'MY_SLACK_TOKEN' },
    },
    env: { MY_SLACK_TOKEN: SLACK_TOKEN },
    slackApiUrl: slack.url,
  });
  api = apiClient(app.url);
  cases = caseClient(api);
});
afterEach(async () => {
  await app.stop();
  await slack.close();
  await rm(folder, { recursive: true });
});

const reached = () => readFile(join(folder, 'reached'), 'utf8');

const REPORT = (verdict = 'ACTION_REQUIRED', confidence = 0.9, line = '7'): ScriptedResponse => ({
  text: JSON.stringify({
    ...{ verdict, headline: 'It is full.', confidence, entities: ['db-1'] },
    claims: [
      {
        kind: 'CAUSE',
        text: `The file line ${line} is there.`,
        citations: [{ source: 'T1', quote: 'line 6\nline 7\nline 8' }],
        facts: [claimedFact('line', 'line', line)],
      },
    ],
  }),
});
const LOOK = toolCall('tools.count_lines', { n: 20 }, 'look');
const NOTE = toolCall('tools.note', { text: 'seen' }, 'note');
const END = [{ text: 'The disk is full [T1].' }, REPORT(), { text: 'In short: full.' }];

/** Investigates with two calls and returns the session's id. */
async function investigate(): Promise<string> {
  app.llm.script([LOOK, NOTE], ...END);
  const id = await api.submit('disk of db-1 at 91%');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  await slack.answered('chat.postMessage', 1);
  return id;
}

async function recordedCase(input: Record<string, unknown> = {}): Promise<{ sessionId: string; id: string }> {
  const sessionId = await investigate();
  const created = await cases.create({ sessionId, name: 'disk', ...input });
  expect(created).toMatchObject({ case: { recordedCalls: 2 } });
  return { sessionId, id: created.case!.id };
}

test('a replay with the same model repeats report and claims, and reaches neither tools nor Slack', async () => {
  const { sessionId, id } = await recordedCase({
    verdict: 'ACTION_REQUIRED',
    entities: ['DB-1'],
    mustSay: ['line \\d'],
  });
  // The health check at the start reaches the server, too.
  const checked = async () => {
    const { mcpServers } = await api.query<{ mcpServers: { id: string; lastCheckedAt: string | null }[] }>(
      '{ mcpServers { id lastCheckedAt } }',
    );
    return mcpServers.find((server) => server.id === 'tools')?.lastCheckedAt;
  };
  await expect.poll(checked).toEqual(expect.any(String));
  const before = await reached();
  expect(before.match(/seen/g)).toHaveLength(1);
  app.llm.script([LOOK, NOTE], ...END);
  const replay = await cases.run({ caseId: id });
  app.llm.assertNoUnusedScripts();
  expect(replay).toMatchObject({
    ...{
      status: 'COMPLETED',
      passed: true,
      confidentlyWrong: false,
      unrecordedCalls: 0,
      provider: 'scripted',
    },
    agreement: { runs: 2, agreeing: 2, cause: 'The file line 7 is there.' },
    checks: [{ name: 'completed' }, { name: 'verdict' }, { name: 'mustSay' }, { name: 'entities' }],
  });
  const { session } = await api.query<{ session: { report: unknown; replay: unknown } }>(
    'query ($id: ID!) { session(id: $id) { report { verdict confidence claims { text status } } replay { id } } }',
    { id: sessionId },
  );
  expect(replay.session.report).toEqual(session.report);
  expect(session.replay).toBeNull();
  const calls = replay.session.timeline.filter(({ type }) => type === 'LLM_TOOL_CALL');
  expect(calls.map(({ metadata }) => metadata!.recorded)).toEqual(['EXACT', 'EXACT']);
  expect(await reached()).toBe(before);
  expect(slack.messages).toHaveLength(1);
});

test('a call that is not recorded is answered as such, counted, and leaves a wrong answer open', async () => {
  const { id } = await recordedCase({ verdict: 'NO_ACTION' });
  app.llm.script([LOOK, toolCall('tools.echo', { text: 'more' }, 'more')], ...END);
  const replay = await cases.run({ caseId: id });
  expect(replay).toMatchObject({ passed: null, confidentlyWrong: false, unrecordedCalls: 1 });
  expect(replay.checks.find(({ name }) => name === 'verdict')).toMatchObject({ passed: false });
  const unrecorded = replay.session.timeline.find(({ metadata }) => metadata?.recorded === 'UNRECORDED');
  expect(unrecorded).toMatchObject({
    status: 'FAILED',
    content: expect.stringContaining('Nothing is known'),
  });
});

test('a replay that proves another cause than its source says so and keeps its confidence', async () => {
  const { id } = await recordedCase({ verdict: 'ACTION_REQUIRED' });
  const [analysis, , summary] = END;
  app.llm.script([LOOK, NOTE], analysis!, REPORT('ACTION_REQUIRED', 0.9, '8'), summary!);
  const replay = await cases.run({ caseId: id });
  expect(replay).toMatchObject({ passed: true, agreement: { runs: 2, agreeing: 1, cause: null } });
  expect(replay.session.report).toMatchObject({ confidence: 0.9 });
});

test('a wrong and confident answer is told apart from a wrong and doubtful one', async () => {
  const { id } = await recordedCase({ verdict: 'NO_ACTION' });
  const [analysis, , summary] = END;
  app.llm.script([LOOK, NOTE], ...END);
  expect(await cases.run({ caseId: id })).toMatchObject({ passed: false, confidentlyWrong: true });
  app.llm.script([LOOK, NOTE], analysis!, REPORT('ACTION_REQUIRED', 0.5), summary!);
  expect(await cases.run({ caseId: id })).toMatchObject({ passed: false, confidentlyWrong: false });
});

test('the model chooses the cause from the list of the case', async () => {
  const { id } = await recordedCase({ cause: 'full disk', causes: ['full disk', 'slow network'] });
  const [analysis, report, summary] = END;
  app.llm.script(
    [LOOK, NOTE],
    analysis!,
    report!,
    toolCall('submit_cause', { cause: 'full disk' }, 'c'),
    summary!,
  );
  const replay = await cases.run({ caseId: id });
  expect(replay.checks.find(({ name }) => name === 'cause')).toMatchObject({ passed: true });
});

test('replays are in lists only if asked for, and cannot be reviewed', async () => {
  const { sessionId, id } = await recordedCase();
  app.llm.script([LOOK, NOTE], ...END);
  const { session } = await cases.run({ caseId: id });
  const listed = async (isReplay: boolean | null) => {
    const { sessions } = await api.query<{ sessions: { nodes: { id: string }[]; totalCount: number } }>(
      'query ($filter: SessionFilter) { sessions(filter: $filter) { nodes { id } totalCount } }',
      { filter: { isReplay } },
    );
    expect(sessions.totalCount).toBe(sessions.nodes.length);
    return sessions.nodes.map((node) => node.id);
  };
  expect(await listed(null)).toEqual([sessionId]);
  expect(await listed(true)).toEqual([session.id]);
  const { reviewSessions } = await api.query<{ reviewSessions: unknown }>(
    `mutation ($input: ReviewSessionsInput!) { reviewSessions(input: $input) { __typename ... on Error { message } } }`,
    { input: { sessionIds: [session.id], action: 'CLAIM' } },
  );
  expect(JSON.stringify(reviewSessions)).toContain('replay of a case');
});

test('an exported case can be imported again without a change, and deleted with its replays', async () => {
  const { id } = await recordedCase();
  const document = await cases.document(id);
  const files = caseFiles(parseCaseDocument(document));
  const imported = await cases.import(document);
  expect(imported.case!.id).not.toBe(id); // it has no session
  expect(caseFiles(parseCaseDocument(await cases.document(imported.case!.id)))).toEqual(files);
  expect((await cases.import(document)).case!.id).toBe(imported.case!.id);
  app.llm.script([LOOK, NOTE], ...END);
  const { session } = await cases.run({ caseId: imported.case!.id });
  expect(await cases.delete(imported.case!.id)).toEqual({ deletedId: imported.case!.id });
  const gone = await api.query('query ($id: ID!) { session(id: $id) { id } }', { id: session.id });
  expect(gone).toEqual({ session: null });
  expect(await cases.document(id)).toBe(document);
});
