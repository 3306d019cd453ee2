import { afterEach, expect, test, vi } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { claimedFact } from '../helpers/report.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Tests the report at the end of an investigation, whose claims are checked against the tool results. */
let app: TestApp;
let api: ApiClient;
afterEach(() => app.stop());

async function start(options: Parameters<typeof startTestApp>[0] = {}): Promise<void> {
  const { defaults = {}, ...more } = options;
  app = await startTestApp({ ...more, defaults: { report: { enabled: true }, ...defaults } });
  api = apiClient(app.url);
}

interface Stored {
  status: string;
  finalAnalysis: string;
  executiveSummary: string | null;
  stages: {
    type: string;
    status: string;
    errorMessage: string | null;
    executions: { messages: { role: string; content: string; toolCalls: { name: string }[] }[] }[];
  }[];
  timeline: { type: string; content: string; stage: { type: string } | null }[];
  trace: { stages: { executions: { llmInteractions: { type: string; iteration: number }[] }[] }[] };
  health: { reportProblem: string | null };
  report: {
    verdict: string;
    evidenceScore: number | null;
    claims: {
      text: string;
      status: string;
      problem: string | null;
      onlyUntrusted: boolean;
      absence: boolean;
      facts: {
        subject: string;
        value: string;
        status: string;
        problem: string | null;
        citation: { source: string } | null;
      }[];
      citations: {
        status: string;
        start: number;
        end: number;
        timelineEvent: { output: { text: string } };
      }[];
    }[];
  } | null;
}

async function investigate(...responses: ScriptedResponse[]): Promise<Stored> {
  app.llm.script(...responses);
  const id = await api.submit('disk of db-1 at 91%');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  app.llm.assertNoUnusedScripts();
  const { session } = await api.query<{ session: Stored }>(
    `query ($id: ID!) { session(id: $id) { status finalAnalysis executiveSummary health { reportProblem }
       stages { type status errorMessage executions { messages { role content toolCalls { name } } } }
       timeline { type content stage { type } }
       trace { stages { executions { llmInteractions { type iteration } } } }
       report { verdict evidenceScore claims { text status problem onlyUntrusted absence
         facts { subject value status problem citation { source } }
         citations { status start end timelineEvent { output { text } } } } } } }`,
    { id },
  );
  return session;
}

const stageOf = ({ stages }: Stored) => stages.find(({ type }) => type === 'REPORT');
const messagesOf = (stored: Stored) => stageOf(stored)!.executions[0]!.messages;

const claim = (text: string, source: string, quote: string, kind = 'OBSERVATION') => ({
  ...{ kind, text },
  citations: [{ source, quote }],
  facts: (/\d+/.exec(text) ?? []).map((figure) => claimedFact('line', 'line', figure)),
});

const report = (...claims: object[]) =>
  JSON.stringify({
    verdict: 'ACTION_REQUIRED',
    headline: 'It is full.',
    confidence: 0.9,
    entities: ['db-1'],
    claims,
  });

const GOOD = claim('The file line 7 is there.', 'T1', 'line 6\nline 7\nline 8', 'CAUSE');
const ANALYSIS = { text: 'The disk is full [T1].' };
const LOOKED = toolCall('tools.count_lines', { n: 20 }, 'look');

test("failed claims go back once with reasons, and the final report is stored with the check's findings", async () => {
  await start();
  const wrongFigure = claim('There are 21 lines.', 'T1', 'line 18\nline 19');
  const invented = {
    ...claim('It was not rebooted.', 'T1', 'the host was not rebooted at night'),
    facts: [claimedFact('reboot', 'absent', ''), { ...claimedFact('line', 'line', '7'), citation: 1 }],
  };
  const mended = claim('The last is line 19.', 'T1', 'line 18\nline 19');
  let repair: GenerateRequest | null = null;
  const stored = await investigate(
    LOOKED,
    ANALYSIS,
    [
      { thinking: ['It was rebooted, was it not?'] },
      toolCall('submit_report', JSON.parse(report(GOOD, wrongFigure, invented)), 'r1'),
    ],
    (request) => {
      repair = request;
      return toolCall('submit_report', JSON.parse(report(GOOD, mended, invented)), 'r2');
    },
    { text: 'In short: full.' },
  );
  expect(stored).toMatchObject({
    ...{ status: 'COMPLETED', finalAnalysis: ANALYSIS.text, executiveSummary: 'In short: full.' },
    health: { reportProblem: null },
    report: { verdict: 'ACTION_REQUIRED', evidenceScore: 2 / 3 },
  });
  expect(stored.report!.claims.map(({ text, status }) => [text, status])).toEqual([
    [GOOD.text, 'SUPPORTED'],
    [mended.text, 'SUPPORTED'],
    [invented.text, 'UNSUPPORTED'],
  ]);
  const [first, , last] = stored.report!.claims;
  expect(first!.problem).toBeNull();
  const { start: begin, end, timelineEvent } = first!.citations[0]!;
  expect(timelineEvent.output.text.slice(begin, end)).toBe('line 6\nline 7\nline 8');
  expect(last!.problem).toContain('the host was not rebooted at night');
  expect([first!.absence, last!.absence]).toEqual([false, true]);
  expect(first!.facts).toEqual([
    { subject: 'line', value: '7', status: 'SUPPORTED', problem: null, citation: { source: 'T1' } },
  ]);
  const unproven = { status: 'UNSUPPORTED', problem: expect.stringContaining('No valid quote shows') };
  expect(last!.facts).toEqual([
    { ...unproven, subject: 'reboot', value: '', citation: { source: 'T1' } },
    { ...unproven, subject: 'line', value: '7', citation: null },
  ]);
  expect(last!.citations).toEqual([
    expect.objectContaining({ status: 'QUOTE_NOT_FOUND', start: null, end: null }),
  ]);

  expect(
    messagesOf(stored).map(({ role, toolCalls }) => [role, ...toolCalls.map(({ name }) => name)]),
  ).toEqual([['SYSTEM'], ['USER'], ['ASSISTANT', 'submit_report'], ['TOOL'], ['ASSISTANT', 'submit_report']]);
  const [, opening, , told] = messagesOf(stored);
  expect(opening!.content).toContain('[T1]\n-----BEGIN TOOL RESULT-----\nline 1\n');
  expect(told!.content).toMatch(
    /^The citations of these claims do not prove them[\s\S]*2\. There are 21 lines[\s\S]*3\. It was not rebooted/,
  );
  expect(told!.content).not.toContain(`1. ${GOOD.text}`);

  const [asked] = app.llm.requests.filter(({ purpose }) => purpose === 'report');
  expect(asked).toMatchObject({ toolChoice: 'submit_report', tools: [{ name: 'submit_report' }] });
  expect(asked!.task).toMatchObject({
    alert: 'disk of db-1 at 91%',
    works: [{ analysis: ANALYSIS.text, outputs: [{ number: 1, tool: 'tools.count_lines', failed: false }] }],
  });
  expect(repair!.messages.at(-1)).toMatchObject({ role: 'tool', toolCallId: 'r1' });
  const counted = await (await fetch(`${app.url}/metrics`)).text();
  for (const line of [
    'tarsy_reports_total{of="investigation",outcome="completed",verdict="action_required"} 1',
    'tarsy_report_claims_total{of="investigation",status="supported"} 2',
    'tarsy_report_claims_total{of="investigation",status="unsupported"} 1',
    'tarsy_report_repairs_total{of="investigation"} 1',
    'tarsy_report_duration_seconds_count{of="investigation"} 1',
  ])
    expect(counted).toContain(line);
  // Only the report is shown, not the model's work on it. The executive summary gets proven claims only.
  expect(stored.timeline.filter(({ stage }) => stage?.type === 'REPORT')).toEqual([]);
  const summary = app.llm.requests.at(-1)!;
  expect(summary.messages.at(-1)!.content).toContain(
    `It is full.\n${GOOD.text}\n${mended.text}\nNot proven: ${invented.text}`,
  );
  expect(stored.trace.stages[1]!.executions[0]!.llmInteractions).toEqual([
    { type: 'REPORT', iteration: 1 },
    { type: 'REPORT', iteration: 2 },
  ]);
});

test('a correct report costs one call, and claims based only on untrusted text are marked', async () => {
  await start({ tools: { untrusted_tools: ['count_*'] } });
  const stored = await investigate(LOOKED, ANALYSIS, toolCall('submit_report', JSON.parse(report(GOOD))), {
    text: 'In short.',
  });
  expect(stored.report).toMatchObject({
    evidenceScore: 1,
    claims: [{ status: 'SUPPORTED', onlyUntrusted: true }],
  });
});

test('a model without function calling writes it as text, after prose or in a code block', async () => {
  await start({ defaults: { iteration_strategy: 'react' } });
  const stored = await investigate(
    { text: 'Thought: look.\nAction: tools.count_lines\nAction Input: {"n": 20}' },
    { text: 'Thought: known.\nFinal Answer: The disk is full [T2].' },
    (request) => {
      expect(request).toMatchObject({ tools: [], toolChoice: '' });
      expect(request.react ?? null).toBeNull();
      expect(request.messages[0]!.content).toContain('"claims"');
      const [number] = /T\d+/.exec(request.messages[1]!.content)!;
      const own = claim('Line 7 is there.', number, 'line 6\nline 7\nline 8');
      return { text: ['Here it is:\n```json\n', report(own), '\n```'] };
    },
    { text: 'In short.' },
  );
  expect(stored.report).toMatchObject({ evidenceScore: 1, claims: [{ status: 'SUPPORTED' }] });
  expect(stored.timeline.map(({ content }) => content).join('\n')).not.toContain('"claims"');
});

test('an unreadable report goes back once, also if it is text instead of a function call', async () => {
  await start();
  const stored = await investigate(
    LOOKED,
    ANALYSIS,
    { text: 'The disk is full.' },
    (request) => {
      expect(request.messages.at(-1)).toMatchObject({ role: 'user' });
      expect(request.messages.at(-1)!.content).toContain('not one JSON object');
      return { text: report(GOOD) };
    },
    { text: 'In short.' },
  );
  expect(stored.report).toMatchObject({ evidenceScore: 1 });
});

test.each<[string, ScriptedResponse[], string]>([
  [
    'that cannot be read twice',
    [{ text: 'no' }, { text: '{"verdict": "FINE"}' }],
    'unreadable report. verdict',
  ],
  ['that fails', [{ error: { code: 'invalid_request', message: 'no tools here' } }], 'no tools here'],
])(
  'without a report, for an answer %s, the investigation is unchanged and says so',
  async (_, answers, why) => {
    await start();
    const stored = await investigate(LOOKED, ANALYSIS, ...answers, (request) => {
      expect(request.messages.at(-1)!.content).toContain(ANALYSIS.text);
      return { text: 'In short.' };
    });
    expect(stored).toMatchObject({
      ...{ status: 'COMPLETED', finalAnalysis: ANALYSIS.text, executiveSummary: 'In short.', report: null },
      health: { reportProblem: expect.stringContaining(why) },
    });
    expect(stageOf(stored)).toMatchObject({ status: 'FAILED', errorMessage: expect.stringContaining(why) });
    expect(stored.timeline.filter(({ stage }) => stage?.type === 'REPORT')).toEqual([
      expect.objectContaining({ type: 'ERROR', content: expect.stringContaining('No report: ') }),
    ]);
  },
);

test('the first report counts if the corrected one fails, and a separate time limit ends the wait', async () => {
  await start({ defaults: { timeouts: { report: '8s' } } });
  const stored = await investigate(
    LOOKED,
    ANALYSIS,
    toolCall('submit_report', JSON.parse(report(GOOD, { ...GOOD, text: 'Line 7 of 99 is there.' }))),
    { gate: 'never' },
    { text: 'In short.' },
  );
  expect(stored.report!.claims.map(({ status }) => status)).toEqual(['SUPPORTED', 'PARTLY_SUPPORTED']);
  const none = await investigate(LOOKED, ANALYSIS, { gate: 'never' }, { text: 'In short.' });
  expect(none).toMatchObject({ status: 'COMPLETED', report: null });
  expect(stageOf(none)!.status).toBe('TIMED_OUT');
});

test('none is made if the chain disables it', async () => {
  await start({ chain: { report: { enabled: false } } });
  const stored = await investigate(LOOKED, ANALYSIS, { text: 'In short.' });
  expect(stored).toMatchObject({ report: null, health: { reportProblem: null } });
  expect(stageOf(stored)).toBeUndefined();
});

test('a cause after its effect is sent back with the reason, and is unproven if it stays', async () => {
  await start();
  const [deployed, failed] = ['2026-11-28T10:05:00Z', '2026-11-28T10:00:00Z'];
  const log = `rollout started: ${deployed}\napp failed: ${failed}`;
  const because = {
    ...{ kind: 'CAUSE', text: 'The rollout broke it.', because: { cause: 0, effect: 1 } },
    citations: [{ source: 'T1', quote: log }],
    facts: [claimedFact('rollout', 'started', deployed), claimedFact('app', 'failed', failed)],
  };
  const answer = { text: report(because) };
  const echoed = toolCall('tools.echo', { text: log }, 'look');
  const stored = await investigate(echoed, ANALYSIS, answer, answer, { text: 'In short.' });
  expect(messagesOf(stored).at(-2)!.content).toContain('Name a cause that comes before the effect.');
  expect(stored.report!.claims).toMatchObject([
    { status: 'UNSUPPORTED', problem: expect.stringContaining(deployed), facts: [SUPPORTED, SUPPORTED] },
  ]);
});

const SUPPORTED = { status: 'SUPPORTED' };
