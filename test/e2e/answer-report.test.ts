import { afterEach, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { askQuestion as askAbout, waitForStageEnd } from '../helpers/chat.ts';
import { claimedFact } from '../helpers/report.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Tests the report of an answer to a question, whose claims are checked like those of an investigation. */
let app: TestApp;
let api: ApiClient;
afterEach(() => app.stop());

async function start(): Promise<void> {
  app = await startTestApp({ defaults: { report: { enabled: true } } });
  api = apiClient(app.url);
}

interface Answered {
  stages: { type: string; status: string; executions: { agentName: string; status: string }[] }[];
  timeline: { type: string; content: string; stage: { type: string } | null }[];
  health: { reportProblem: string | null };
  report: object | null;
  chat: {
    messages: {
      report: {
        evidenceScore: number | null;
        claims: {
          id: string;
          text: string;
          status: string;
          citations: { source: string; start: number | null }[];
        }[];
      } | null;
    }[];
  };
}

/** Runs an investigation without a report, and asks a question about it. */
async function askQuestion(...responses: ScriptedResponse[]): Promise<Answered> {
  app.llm.script({ text: 'The disk is full.' }, { text: 'no' }, { text: 'no' }, { text: 'In short.' });
  const id = await api.submit('disk of db-1 at 91%');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  app.llm.script(...responses);
  await waitForStageEnd(api, id, await askAbout(api, id, 'Which lines are there?'));
  app.llm.assertNoUnusedScripts();
  const { session } = await api.query<{ session: Answered }>(
    `query ($id: ID!) { session(id: $id) { stages { type status executions { agentName status } }
       timeline { type content stage { type } } health { reportProblem } report { verdict }
       chat { messages { report { evidenceScore claims { id text status citations { source start } } } } } } }`,
    { id },
  );
  return session;
}

const LOOK = toolCall('tools.count_lines', { n: 20 }, 'look');
const claim = (text: string, source: string, quote: string, kind = 'OBSERVATION') => ({
  ...{ kind, text },
  citations: [{ source, quote }],
  facts: (/\d+/.exec(text) ?? []).map((figure) => claimedFact('line', 'line', figure)),
});
/** Returns the output number of the last tool call, as shown to the model. */
const numberIn = (text: string) => [...text.matchAll(/^T(\d+): /gm)].at(-1)![1]!;

test('failed claims go back to the model once and are shown with the answer', async () => {
  await start();
  let made: object[] = [];
  const { chat, stages, timeline, health } = await askQuestion(
    LOOK,
    { text: 'Line 7 is there, and 21 more.' },
    (request) => {
      expect(request).toMatchObject({ purpose: 'report', toolChoice: 'submit_claims' });
      expect(request.task).toMatchObject({ question: 'Which lines are there?' });
      const prompt = request.messages.at(-1)!.content;
      expect(prompt).toContain('Which lines are there?');
      const cited = `T${numberIn(prompt)}`;
      made = [
        claim('Line 7 is there.', cited, 'line 6\nline 7\nline 8'),
        claim('There are 21 more.', cited, 'line 18\nline 19'),
        claim('Read them all.', cited, 'line 18\nline 19', 'RECOMMENDATION'),
      ];
      return toolCall('submit_claims', { claims: made }, 'c1');
    },
    (request) => {
      expect(request.messages.at(-1)!.content).toMatch(/do not prove them[\s\S]*2\. There are 21 more/);
      return toolCall('submit_claims', { claims: made }, 'c2');
    },
  );
  expect(chat.messages[0]!.report).toMatchObject({
    evidenceScore: 0.5,
    claims: [
      { text: 'Line 7 is there.', status: 'SUPPORTED', citations: [{ start: expect.any(Number) }] },
      { text: 'There are 21 more.', status: 'UNSUPPORTED' },
    ],
  });
  expect(stages.at(-1)).toMatchObject({
    ...{ type: 'CHAT', status: 'COMPLETED' },
    executions: [{ status: 'COMPLETED' }, { agentName: 'Report', status: 'COMPLETED' }],
  });
  const shown = timeline.filter(({ stage }) => stage?.type === 'CHAT').map(({ type }) => type);
  expect(shown).toEqual(['USER_QUESTION', 'LLM_TOOL_CALL', 'FINAL_ANALYSIS']);
  // About the report of the session, not that of the answer.
  expect(health.reportProblem).toContain('unreadable report');
});

test('an answer without claims does not fail', async () => {
  await start();
  const { chat, stages, timeline } = await askQuestion(
    LOOK,
    { text: 'Line 7.' },
    { text: 'no' },
    {
      error: { code: 'invalid_request', message: 'no tools here' },
    },
  );
  expect(chat.messages[0]!.report).toBeNull();
  expect(stages.at(-1)).toMatchObject({ status: 'COMPLETED', executions: [{}, { status: 'FAILED' }] });
  expect(timeline.at(-1)).toMatchObject({
    type: 'ERROR',
    content: expect.stringContaining('No report: '),
  });
});

test('an answer that uses no tool result needs no further model call', async () => {
  await start();
  const { chat, stages } = await askQuestion({ text: 'You are welcome.' });
  expect(chat.messages[0]!.report).toBeNull();
  expect(stages.at(-1)!.executions).toHaveLength(1);
});

test('an answer that cites a result of the investigation has a report, without a call of its own', async () => {
  await start();
  const claims = [claim('The disk is full.', 'T1', 'the disk is full')];
  const submit = (id: string) => toolCall('submit_claims', { claims }, id);
  const { chat, stages } = await askQuestion({ text: 'As T1 shows.' }, submit('c1'), submit('c2'));
  // The investigation called no tool, so that nothing proves the claim.
  expect(chat.messages[0]!.report).toMatchObject({ claims: [{ status: 'UNSUPPORTED' }] });
  expect(stages.at(-1)!.executions).toMatchObject([{}, { agentName: 'Report', status: 'COMPLETED' }]);
});
