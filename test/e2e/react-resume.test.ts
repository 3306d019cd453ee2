import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';

let cluster: Cluster;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tarsy-react-'));
  await writeFile(join(folder, 'notes'), '');
});
afterEach(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true });
});

interface Stored {
  timeline: { type: string; status: string; content: string }[];
  stages: { executions: { messages: { role: string; content: string }[] }[] }[];
}

/**
 * Kills the worker while the model answers after a call's observation. Deletes what an earlier kill would not
 * have written: the observation and, unless `keptTrace`, the call's trace. Another worker then resumes.
 */
async function brokenOffAfter(action: string, keptTrace: boolean): Promise<Stored> {
  const toolLog = join(folder, 'notes');
  cluster = await startCluster({ defaults: { iteration_strategy: 'react' }, toolLog });
  cluster.llm.script(
    { text: `Thought: First.\nAction: ${action}\nAction Input: {"text": "once"}` },
    [{ text: 'Thought: Half of a ' }, { gate: 'broken' }],
    { text: 'Thought: Second.\nFinal Answer: Done.' },
    { text: 'Summary.' },
  );
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Go on after me');
  await cluster.llm.reached('broken');
  await worker.end('SIGKILL');
  const removed = await cluster.sql.query(`delete from messages where content like 'Observation:%'`);
  expect(removed.rowCount).toBe(1);
  if (!keptTrace) await cluster.sql.query(`delete from mcp_interactions where type = 'TOOL_CALL'`);
  const ended = cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
  await cluster.startWorker();
  expect(await ended).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Done.' });
  cluster.llm.assertNoUnusedScripts();
  const { session } = await cluster.api.query<{ session: Stored }>(
    `query ($id: ID!) { session(id: $id) { timeline { type status content }
       stages { executions { messages { role content } } } } }`,
    { id },
  );
  const { messages } = session.stages[0]!.executions[0]!;
  expect(messages.map(({ role }) => role)).toEqual(['SYSTEM', 'USER', 'ASSISTANT', 'USER', 'ASSISTANT']);
  return session;
}

const observationOf = (stored: Stored) => stored.stages[0]!.executions[0]!.messages[3]!.content;
const toolCalls = (stored: Stored) => stored.timeline.filter(({ type }) => type === 'LLM_TOOL_CALL').length;
const notes = () => readFile(join(folder, 'notes'), 'utf8');

test('does not repeat a changing call, whose outcome is unknown', async () => {
  const stored = await brokenOffAfter('tools.note', false);
  expect(observationOf(stored)).toMatch(/^Observation:\n-----BEGIN TOOL RESULT-----\nError: .*unknown/);
  expect(toolCalls(stored)).toBe(1);
  expect(await notes()).toBe('once\n');
});

test('uses a result that is stored in the trace', async () => {
  const stored = await brokenOffAfter('tools.note', true);
  expect(observationOf(stored)).toContain('noted: once');
  expect(toolCalls(stored)).toBe(1);
  expect(await notes()).toBe('once\n');
});

test('repeats a read-only call', async () => {
  const stored = await brokenOffAfter('tools.echo', false);
  expect(observationOf(stored)).toContain('echo: once');
  expect(toolCalls(stored)).toBe(2);
});
