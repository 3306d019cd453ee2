import { afterEach, expect, test } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';

let cluster: Cluster;
afterEach(() => cluster.stop());

const ARGS = { text: 'password: Syn7hetic!' };
const REACT = `Thought: Try.\nAction: tools.echo\nAction Input: ${JSON.stringify(ARGS)}`;

test.each<[strategy: string, call: ScriptedResponse, end: string]>([
  ['langchain', toolCall('tools.echo', ARGS), 'Done.'],
  ['react', { text: REACT }, 'Final Answer: Done.'],
])(
  '%s: does not repeat an interrupted call whose arguments lost their secrets',
  async (strategy, call, end) => {
    cluster = await startCluster({ defaults: { iteration_strategy: strategy } });
    cluster.llm.script(call, [{ text: 'Half of ' }, { gate: 'broken' }], { text: end }, { text: 'Summary.' });
    const worker = await cluster.startWorker();
    const id = await cluster.api.submit('Go on after me');
    await cluster.llm.reached('broken');
    await worker.end('SIGKILL');
    // Deletes the rows that a worker killed before the tool result would not have written.
    const removed = await cluster.sql.query(`delete from messages where content like '%echo: password%'`);
    expect(removed.rowCount).toBe(1);
    await cluster.sql.query(`delete from mcp_interactions where type = 'TOOL_CALL'`);
    const ended = cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
    await cluster.startWorker();
    expect(await ended).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Done.' });
    cluster.llm.assertNoUnusedScripts();
    const calls = await cluster.sql.query(`select 1 from timeline_events where type = 'LLM_TOOL_CALL'`);
    expect(calls.rowCount).toBe(1);
    const told = cluster.llm.requests[2]!.messages.at(-1)!.content;
    expect(told).toContain('secrets in its arguments are not stored');
  },
);
