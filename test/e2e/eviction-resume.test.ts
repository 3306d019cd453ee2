import { afterEach, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

let cluster: Cluster;
afterEach(() => cluster.stop());

const CALLS = 14;
const OUT = '(removed to shorten the conversation';
const outOf = ({ messages }: GenerateRequest) =>
  messages.flatMap(({ content }, at) => (content.includes(OUT) ? [at] : []));

test.each([
  ['while old results are evicted', 0],
  ['after the eviction', 1],
])(
  'after the worker is killed %s, another worker evicts the same results',
  {
    timeout: 120_000,
  },
  async (_when, later) => {
    cluster = await startCluster({
      defaults: { llm_provider: 'scripted-small', max_iterations: CALLS + 2 },
      chain: { executive_summary_provider: 'offline' },
    });
    let evicting = 0;
    cluster.llm.otherwise((request) => {
      const answers = request.messages.filter(({ role }) => role === 'assistant').length;
      if (request.llmConfig?.provider === 'offline') return { text: 'In short.' };
      if (answers === CALLS) return { text: 'Understood.' };
      const call = toolCall('tools.count_lines', { n: 100 }, `call${answers}`);
      if (outOf(request).length === 0) return call;
      evicting += 1;
      return evicting === 1 + later ? [{ gate: 'killed' }, call] : call;
    });
    const worker = await cluster.startWorker();
    const id = await cluster.api.submit('Too many lines');
    await cluster.llm.reached('killed');
    await worker.end('SIGKILL');
    cluster.llm.open('killed');
    const ended = cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
    await cluster.startWorker();
    expect(await ended).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Understood.' });

    const requests = cluster.llm.requests.filter(({ llmConfig }) => llmConfig?.provider !== 'offline');
    const first = requests.findIndex((request) => outOf(request).length > 0);
    const [killed, again] = requests.slice(first + later);
    expect(again!.messages).toEqual(killed!.messages);
    for (const [at, request] of requests.slice(first + 1).entries())
      expect(outOf(request)).toEqual(expect.arrayContaining(outOf(requests[first + at]!)));
    const { session } = await cluster.api.query<{
      session: { health: { resumed: number }; timeline: { type: string }[] };
    }>(
      'query ($id: ID!) { session(id: $id) { health { resumed } timeline(types: [LLM_TOOL_CALL]) { type } } }',
      {
        id,
      },
    );
    expect(session.health.resumed).toBeGreaterThan(0);
    expect(session.timeline).toHaveLength(CALLS);
  },
);
