import { afterEach, expect, test, vi } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';
import { isSummarization, readSummarized, type Summarized } from '../helpers/summarized.ts';

/** Each test starts several processes. */
vi.setConfig({ testTimeout: 90_000 });

let cluster: Cluster;
afterEach(() => cluster.stop());

const tools = { summarization: { size_threshold_tokens: 100, summary_max_token_limit: 50 } };
const COUNT = toolCall('tools.count_lines', { n: 500 }, 'long');
const SUMMARY: ScriptedResponse = { text: '500 lines, all alike.' };
const BROKEN: ScriptedResponse = [{ text: 'Half of ' }, { gate: 'broken' }, { text: 'never said' }];

/** Starts an investigation with a first worker and waits for the gate `broken`. */
async function start(responses: readonly ScriptedResponse[], strategy = 'langchain') {
  cluster = await startCluster({ tools, defaults: { iteration_strategy: strategy } });
  cluster.llm.script(...responses);
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Too many lines');
  return { id, worker };
}

/** Starts another worker, which resumes the session. Resolves with the result. */
async function goOn(id: string): Promise<Summarized> {
  const ended = cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
  await cluster.startWorker();
  expect(await ended).toMatchObject({ status: 'COMPLETED' });
  cluster.llm.assertNoUnusedScripts();
  return readSummarized(cluster.api, id);
}

const summaries = ({ timeline }: Summarized) =>
  timeline.filter(({ type }) => type === 'MCP_TOOL_SUMMARY').map(({ status }) => status);

/** Asserts that the tool ran once, and that its call has one answer, which is the summary. */
function expectOnce(stored: Summarized, roles: readonly string[], answer: RegExp): void {
  expect(stored.mcp.filter(({ toolName }) => toolName === 'count_lines')).toHaveLength(1);
  expect(stored.timeline.filter(({ type }) => type === 'LLM_TOOL_CALL')).toHaveLength(1);
  expect(stored.messages.map(({ role }) => role)).toEqual(roles);
  expect(stored.messages[3]!.content).toMatch(answer);
  expect(stored.messages[3]!.content).toContain('500 lines, all alike.\n-----END TOOL RESULT-----');
}

const FUNCTION_CALLING = ['SYSTEM', 'USER', 'ASSISTANT', 'TOOL', 'ASSISTANT'];

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'repeats a summary that %s interrupts, but not its tool call',
  async (signal) => {
    const { id, worker } = await start([
      COUNT,
      BROKEN,
      SUMMARY,
      { text: 'Understood.' },
      { text: 'In short.' },
    ]);
    await cluster.llm.reached('broken');
    await worker.end(signal);
    const stored = await goOn(id);
    expect(summaries(stored)).toEqual(['CANCELLED', 'COMPLETED']);
    expectOnce(stored, FUNCTION_CALLING, /^\[T\d+\]\nThis result had about/);
  },
);

test('repeats an interrupted summary in a conversation without function calling', async () => {
  const action = 'Thought: Count.\nAction: tools.count_lines\nAction Input: {"n": 500}';
  const { id, worker } = await start(
    [{ text: action }, BROKEN, SUMMARY, { text: 'Final Answer: Understood.' }, { text: 'In short.' }],
    'react',
  );
  await cluster.llm.reached('broken');
  await worker.end('SIGKILL');
  const stored = await goOn(id);
  expect(summaries(stored)).toEqual(['CANCELLED', 'COMPLETED']);
  expectOnce(
    stored,
    ['SYSTEM', 'USER', 'ASSISTANT', 'USER', 'ASSISTANT'],
    /^Observation:\n\[T\d+\]\nThis result had about/,
  );
});

test('does not repeat a complete summary whose message was not stored yet', async () => {
  const { id, worker } = await start([
    COUNT,
    SUMMARY,
    [{ text: 'Half of ' }, { gate: 'broken' }],
    { text: 'Understood.' },
    { text: 'In short.' },
  ]);
  await cluster.llm.reached('broken');
  await worker.end('SIGKILL');
  // Deletes the message that a worker killed a moment earlier would not have written.
  const removed = await cluster.sql.query(`delete from messages where role = 'TOOL'`);
  expect(removed.rowCount).toBe(1);
  const stored = await goOn(id);
  expect(summaries(stored)).toEqual(['COMPLETED']);
  expect(cluster.llm.requests.filter(isSummarization)).toHaveLength(1);
  expectOnce(stored, FUNCTION_CALLING, /^\[T\d+\]\nThis result had about/);
});
