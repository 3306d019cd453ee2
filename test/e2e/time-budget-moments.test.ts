import { expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp } from '../helpers/app.ts';
import { randomFrom } from '../helpers/random.ts';
import { type Step, toolCall } from '../helpers/scripted-llm/index.ts';

/** Number of investigations. Each one's time ends at another random moment of its work. */
const MOMENTS = Number(process.env.TIME_BUDGET_MOMENTS ?? 8);
/** Share of the investigations that must complete. */
const LEAST_COMPLETED = 0.95;

const CONCURRENT = 8;
/** Long, because the machine of the test may be busy. The reserve is a quarter. */
const LIMIT_S = 40;

const OPTIONS = {
  queue: {
    session_timeout: `${LIMIT_S}s`,
    max_concurrent_sessions: CONCURRENT,
    worker_concurrency: CONCURRENT,
  },
  defaults: {
    max_iterations: 50,
    fallback_providers: [{ provider: 'scripted-google' }],
    report: { enabled: true },
  },
  agents: {
    TestAgent: { mcp_servers: ['tools'], sub_agents: ['Helper'] },
    Other: { mcp_servers: ['tools'] },
    Helper: { description: 'Helps', mcp_servers: ['tools'] },
  },
  stages: [
    { name: 'look', agents: [{ name: 'TestAgent' }, { name: 'Other' }] },
    { name: 'advise', agents: [{ name: 'TestAgent' }] },
  ],
};

/**
 * Returns the answer of a model that investigates without an end. Calls last at random, some never end, and only a
 * forced conclusion, a synthesis or a summary is an analysis.
 */
function answerer(random: () => number): (request: GenerateRequest) => readonly Step[] {
  const pause = (maxMs: number) => ({ waitMs: Math.round(random() * maxMs) });
  return ({ purpose, llmConfig, tools }) => {
    const isFirstProvider = llmConfig?.model === 'scripted-1';
    if (purpose === 'report' || tools.length === 0) {
      if (isFirstProvider && random() < 0.1) return [{ text: 'Well, ' }, { hang: true }];
      return [pause(500), { text: 'The disk is full.' }];
    }
    const chance = random();
    if (chance < 0.1) return [pause(3_000), { text: 'Hm' }, { hang: true }];
    if (chance < 0.2) return [pause(3_000), toolCall('tools.hang')];
    if (chance < 0.3)
      return [pause(3_000), toolCall('tarsy.dispatch_agent', { name: 'Helper', task: 'Help.' })];
    return [{ text: 'Looking.' }, pause(3_000), toolCall('tools.echo', { text: 'var is full' })];
  };
}

interface Ended {
  status: string;
  finalAnalysis: string | null;
  health: { earlyConclusions: { reason: string }[] };
  timeline: { status: string }[];
}

async function investigate(api: ApiClient, number: number): Promise<Ended> {
  const id = await api.submit(`Trouble ${number}`);
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const { session } = await api.query<{ session: Ended }>(
    `query ($id: ID!) { session(id: $id) { status finalAnalysis health { earlyConclusions { reason } }
       timeline(types: [LLM_TOOL_CALL]) { status } } }`,
    { id },
  );
  return session;
}

test('at whatever moment the time ends, nearly all investigations conclude, and none loses its results', {
  timeout: 120_000 + Math.ceil(MOMENTS / CONCURRENT) * 2 * LIMIT_S * 1_000,
}, async () => {
  const app = await startTestApp(OPTIONS);
  try {
    app.llm.otherwise(answerer(randomFrom(4711)));
    const api = apiClient(app.url);
    const numbers = Array.from({ length: MOMENTS }, (_, number) => number);
    const ended = await Promise.all(numbers.map((number) => investigate(api, number)));
    const concluded = ended.filter(
      ({ status, health }) =>
        status === 'COMPLETED' && health.earlyConclusions.some(({ reason }) => reason === 'TIME_BUDGET'),
    );
    const lost = ended.filter(
      ({ finalAnalysis, timeline }) =>
        finalAnalysis === null && timeline.some(({ status }) => status === 'COMPLETED'),
    );
    expect(lost).toEqual([]);
    expect(concluded.length).toBeGreaterThanOrEqual(Math.ceil(MOMENTS * LEAST_COMPLETED));
  } finally {
    await app.stop();
  }
});
