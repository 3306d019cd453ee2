import { join } from 'node:path';
import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { devPython, ROOT } from '../../scripts/lib/dev-python.ts';
import { startLlmProcess } from '../../src/machine/llm-process.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp } from '../helpers/app.ts';
import { alertBody, intakeConfig, openTestPool, sendDelivery } from '../helpers/deliveries.ts';
import { type HttpMcpServer, startHttpMcp } from '../helpers/mcp/http-server.ts';
import { anthropic } from '../helpers/providers/anthropic.ts';
import { bedrock } from '../helpers/providers/bedrock.ts';
import { chat as kimi } from '../helpers/providers/chat.ts';
import { DIALECTS } from '../helpers/providers/dialects.ts';
import type { Family } from '../helpers/providers/family.ts';
import { type Play, type ProviderServer, startProviders } from '../helpers/providers/server.ts';

/**
 * Tests investigations of twelve steps on servers that refuse what the real servers refuse. Two alerts join
 * in the middle, the first provider fails after six steps, and the iterations end before the model concludes.
 */
const FAMILIES: Readonly<Record<string, Family>> = { ...DIALECTS, bedrock, kimi, anthropic };
const NAMES = Object.keys(FAMILIES);
const STEPS = 12;
const FAILS_AFTER = 6;
/** Turns at which another alert of the group arrives: one before and one after the provider falls back. */
const NEWS_AT: ReadonlySet<number> = new Set([3, 9]);
/** Maximum number of refusals until the LLM service knows the form of request that a server wants. */
const MAX_REFUSALS = 3;

const ROWS = NAMES.map((from, index) => ({
  id: `row${index}`,
  from,
  to: NAMES[(index + 1) % NAMES.length]!,
}));

let providers: ProviderServer;
let tools: HttpMcpServer;
let api: ApiClient;
let pool: pg.Pool;
let url = '';
const stops: (() => unknown)[] = [];
const sessions = new Map<string, string>();
const delivered = new Set<string>();

/** Delivers another alert of the investigation's group, once for each turn. */
async function deliverNews(id: string, turn: number): Promise<void> {
  const fingerprint = `${id}-${turn}`;
  if (!NEWS_AT.has(turn) || delivered.has(fingerprint)) return;
  delivered.add(fingerprint);
  const { outcome } = await sendDelivery(
    url,
    alertBody({ fingerprint, group: id, labels: { row: id, host: fingerprint } }),
  );
  expect(outcome).toBe('JOINED');
}

function play(id: string, family: Family, fails: boolean): Play {
  return {
    family,
    ...(fails && { fault: { at: 'start', how: 503, after: FAILS_AFTER } }),
    before: (turn) => deliverNews(id, turn),
    answer: (turn) => ({
      thought: `Thought ${turn}.`,
      text: turn < STEPS ? `Step ${turn}.` : 'It found the cause.',
      call: turn < STEPS ? { name: 'web__echo', arguments: `{"text": "step ${turn}"}` } : null,
    }),
  };
}

beforeAll(async () => {
  providers = await startProviders(
    Object.fromEntries(
      ROWS.flatMap(({ id, from, to }) => [
        [`${id}-first`, play(id, FAMILIES[from]!, true)],
        [`${id}-second`, play(id, FAMILIES[to]!, false)],
      ]),
    ),
  );
  stops.push(providers.close);
  tools = await startHttpMcp('token');
  stops.push(tools.close);
  const service = await startLlmProcess({
    python: await devPython(),
    serviceDir: join(ROOT, 'llm-service'),
    env: { ...process.env, FAKE_KEY: 'a-key-of-a-test', AWS_REGION: 'us-east-1' },
    logger: pino({ level: 'silent' }),
  });
  stops.push(service.stop);
  const provider = (name: string, family: string) => [
    name,
    { ...FAMILIES[family]!.config(providers.url(name)), api_key_env: 'FAKE_KEY' },
  ];
  const app = await startTestApp({
    llmAddress: service.address,
    providers: Object.fromEntries(
      ROWS.flatMap(({ id, from, to }) => [provider(`${id}-first`, from), provider(`${id}-second`, to)]),
    ),
    intake: intakeConfig({
      rules: ROWS.map(({ id }) => ({ name: id, match: [`row="${id}"`], alert_type: id })),
    }),
    queue: { max_concurrent_sessions: 16, worker_concurrency: 16, alerts_per_minute: 1000 },
    defaults: { max_iterations: STEPS, memory: { enabled: false } },
    mcpServers: { web: { transport: { type: 'http', url: `${tools.url}/mcp`, bearer_token: 'token' } } },
    agents: { Looker: { mcp_servers: ['web'] } },
    chains: Object.fromEntries(
      ROWS.map(({ id }) => [
        id,
        {
          alert_types: [id],
          llm_provider: `${id}-first`,
          fallback_providers: [{ provider: `${id}-second` }],
          executive_summary_provider: 'offline',
          stages: [{ name: 'look', agents: [{ name: 'Looker' }] }],
        },
      ]),
    ),
  });
  stops.push(app.stop);
  url = app.url;
  api = apiClient(url);
  pool = openTestPool(app.database.url);
  stops.push(() => pool.end());
  for (const { id } of ROWS) {
    const { session } = await sendDelivery(
      url,
      alertBody({ fingerprint: id, group: id, labels: { row: id } }),
    );
    sessions.set(id, session!);
  }
}, 240_000);
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
}, 60_000);

const SESSION = `query ($id: ID!) { session(id: $id) { status finalAnalysis errorMessage
  timeline { type status content }
  stages { executions { llmProvider messages { role content } } } } }`;

interface Seen {
  status: string;
  finalAnalysis: string | null;
  errorMessage: string | null;
  timeline: { type: string; status: string; content: string }[];
  stages: { executions: { llmProvider: string; messages: { role: string; content: string }[] }[] }[];
}

test.each(ROWS)('completes on $from and then on $to', { timeout: 300_000 }, async ({ id }) => {
  const read = async () => (await api.query<{ session: Seen }>(SESSION, { id: sessions.get(id)! })).session;
  await expect
    .poll(async () => ENDED.has((await read()).status), { timeout: 280_000, interval: 500 })
    .toBe(true);
  const session = await read();
  const refused = providers.refused.filter((text) => text.startsWith(`${id}-`));
  expect(session, refused.join('\n')).toMatchObject({
    status: 'COMPLETED',
    errorMessage: null,
    finalAnalysis: 'It found the cause.',
  });
  expect(refused.length, refused.join('\n')).toBeLessThanOrEqual(2 * MAX_REFUSALS);
  // The LLM service learns from each refusal at once, so none repeats.
  expect(new Set(refused).size).toBe(refused.length);
  const execution = session.stages[0]!.executions[0]!;
  expect(execution.llmProvider).toBe(`${id}-second`);
  const items = (type: string) => session.timeline.filter((item) => item.type === type);
  const steps = Array.from({ length: STEPS }, (_, turn) => `step ${turn}`);
  expect(items('LLM_TOOL_CALL').map(({ content }) => content)).toEqual(steps);
  expect(items('PROVIDER_FALLBACK')).toHaveLength(1);
  expect(items('ALERT_JOINED')).toHaveLength(NEWS_AT.size);
  const told = execution.messages.filter(({ role }) => role === 'USER').map(({ content }) => content);
  expect(told.filter((text) => text.includes('1 alert joined'))).toHaveLength(NEWS_AT.size);
  expect(told.at(-1)).toContain(`You have used ${STEPS} of ${STEPS} iterations`);
});
