import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { devPython, ROOT } from '../../scripts/lib/dev-python.ts';
import { startLlmProcess } from '../../src/machine/llm-process.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp } from '../helpers/app.ts';
import { type HttpMcpServer, startHttpMcp } from '../helpers/mcp/http-server.ts';
import { adaptive, anthropic } from '../helpers/providers/anthropic.ts';
import { chat } from '../helpers/providers/chat.ts';
import type { Family } from '../helpers/providers/family.ts';
import { gemini } from '../helpers/providers/gemini.ts';
import { responses } from '../helpers/providers/responses.ts';
import { type Fault, type Play, type ProviderServer, startProviders } from '../helpers/providers/server.ts';

/**
 * Providers fail in each way at each point of an answer, over the real LLM service and the providers' wire
 * formats. The provider that takes over receives the conversation of another family, and refuses what its
 * real server refuses.
 */
const FAMILIES = { anthropic, adaptive, responses, gemini, chat };
type Name = keyof typeof FAMILIES;

/** Silence (s) after which a provider counts as failed, far more than a busy machine needs for an answer. */
const SILENCE_S = 12;
const TURNS = 3;

const FAULTS: readonly (readonly [fault: Fault, reason: string, calls: number])[] = [
  [{ at: 'start', how: 401, after: 0 }, 'REFUSED', 1],
  [{ at: 'start', how: 402, after: 1 }, 'REFUSED', 2],
  [{ at: 'start', how: 404, after: 1 }, 'REFUSED', 2],
  [{ at: 'start', how: 429, after: 0 }, 'BUSY', 1],
  [{ at: 'start', how: 503, after: 1 }, 'BUSY', 2],
  [{ at: 'start', how: 'cut', after: 0 }, 'BUSY', 4],
  [{ at: 'start', how: 'silence', after: 1 }, 'SILENT', 3],
  [{ at: 'text', how: 'cut', after: 0 }, 'BROKEN_OFF', 1],
  [{ at: 'text', how: 'error', after: 1 }, 'BROKEN_OFF', 2],
  [{ at: 'text', how: 'silence', after: 1 }, 'BROKEN_OFF', 2],
  [{ at: 'call', how: 'cut', after: 1 }, 'BROKEN_OFF', 2],
  [{ at: 'call', how: 'error', after: 0 }, 'BROKEN_OFF', 1],
  [{ at: 'call', how: 'silence', after: 0 }, 'BROKEN_OFF', 1],
];
/** The faults for the other pairs of families: status 503, and a connection cut during a call. */
const FEWER = FAULTS.filter(([{ at, how }]) => how === 503 || (at === 'call' && how === 'cut'));

/** Pairs of families (failing, taking over) that run with all faults; all other pairs run with fewer. */
const RING: readonly (readonly [Name, Name])[] = [
  ['anthropic', 'responses'],
  ['responses', 'gemini'],
  ['gemini', 'chat'],
  ['chat', 'anthropic'],
];
const OTHERS: readonly (readonly [Name, Name])[] = [
  ...(['responses', 'gemini', 'chat'] as const).map((from) => [from, 'adaptive'] as const),
  ['adaptive', 'gemini'],
  ['anthropic', 'chat'],
  ['responses', 'chat'],
  ['gemini', 'anthropic'],
  ['gemini', 'responses'],
  ['chat', 'responses'],
  ['chat', 'gemini'],
];

const ROWS = [
  ...RING.flatMap((pair) => FAULTS.map((fault) => [...pair, ...fault] as const)),
  ...OTHERS.flatMap((pair) => FEWER.map((fault) => [...pair, ...fault] as const)),
].map(([from, to, fault, reason, calls], index) => {
  const title = `${from} → ${to}: ${fault.how} at ${fault.at}, after ${fault.after} results`;
  return { id: `row${index}`, title, from, to, fault, reason, calls };
});

let providers: ProviderServer;
let tools: HttpMcpServer;
let api: ApiClient;
const stops: (() => Promise<unknown>)[] = [];
const sessions = new Map<string, Promise<string>>();

function play(family: Family, who: string, fault?: Fault): Play {
  return {
    family,
    ...(fault && { fault }),
    answer: (turn) => ({
      thought: `${who} thinks about step ${turn}.`,
      text: turn < TURNS ? `${who} looks for the ${turn}. time.` : `${who} found it.`,
      call: turn < TURNS ? { name: 'web__echo', arguments: `{"text": "${who} ${turn}"}` } : null,
    }),
  };
}

beforeAll(async () => {
  providers = await startProviders(
    Object.fromEntries(
      ROWS.flatMap(({ id, from, to, fault }) => [
        [`${id}-first`, play(FAMILIES[from], 'First', fault)],
        [`${id}-second`, play(FAMILIES[to], 'Second')],
      ]),
    ),
  );
  stops.push(providers.close);
  tools = await startHttpMcp('token');
  stops.push(tools.close);
  const service = await startLlmProcess({
    python: await devPython(),
    serviceDir: join(ROOT, 'llm-service'),
    env: {
      ...process.env,
      FAKE_KEY: 'a-key-of-a-test',
      LLM_FIRST_TOKEN_SECONDS: `${SILENCE_S}`,
      LLM_STALL_SECONDS: `${SILENCE_S}`,
    },
    logger: pino({ level: 'silent' }),
  });
  stops.push(service.stop);
  const llmProviders = Object.fromEntries(
    ROWS.flatMap(({ id, from, to }) => [
      [`${id}-first`, { ...FAMILIES[from].config(providers.url(`${id}-first`)), api_key_env: 'FAKE_KEY' }],
      [`${id}-second`, { ...FAMILIES[to].config(providers.url(`${id}-second`)), api_key_env: 'FAKE_KEY' }],
    ]),
  );
  const app = await startTestApp({
    llmAddress: service.address,
    providers: llmProviders,
    queue: { max_concurrent_sessions: 16, worker_concurrency: 16, alerts_per_minute: 1000 },
    defaults: { max_iterations: 8, memory: { enabled: false } },
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
  api = apiClient(app.url);
  // All rows run at the same time, because silent providers take the most time.
  for (const { id } of ROWS) {
    const session = await api.submit(`Disk trouble, ${id}`, { alertType: id });
    const ended = api.waitFor(session, ({ status }) => ENDED.has(status)).then(() => session);
    ended.catch(() => {}); // the test of this row reports the error
    sessions.set(id, ended);
  }
}, 120_000);
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
}, 60_000);

interface Seen {
  status: string;
  finalAnalysis: string | null;
  errorMessage: string | null;
  health: { fallbacks: number };
  timeline: { type: string; status: string; content: string; metadata: Record<string, unknown> | null }[];
  stages: {
    executions: {
      llmProvider: string;
      originalLlmProvider: string;
      messages: { role: string; content: string }[];
    }[];
  }[];
}

test.each(ROWS)('$title', { timeout: 300_000 }, async ({ id, fault, reason, calls }) => {
  const { session } = await api.query<{ session: Seen }>(
    `query ($id: ID!) { session(id: $id) { status finalAnalysis errorMessage health { fallbacks }
       timeline { type status content metadata }
       stages { executions { llmProvider originalLlmProvider messages { role content } } } } }`,
    { id: await sessions.get(id)! },
  );
  expect(providers.refused.filter((text) => text.startsWith(`${id}-`))).toEqual([]);
  expect(session).toMatchObject({
    status: 'COMPLETED',
    errorMessage: null,
    finalAnalysis: 'Second found it.',
    health: { fallbacks: 1 },
  });
  const execution = session.stages[0]!.executions[0]!;
  expect(execution).toMatchObject({ llmProvider: `${id}-second`, originalLlmProvider: `${id}-first` });
  const items = (type: string) => session.timeline.filter((item) => item.type === type);
  expect(items('PROVIDER_FALLBACK')).toMatchObject([
    { metadata: { reason, to: { provider: `${id}-second` } } },
  ]);
  expect(providers.calls.get(`${id}-first`)).toBe(calls);

  // Each call of a complete answer runs once, no matter which provider asked for the call.
  const callers = Array.from(
    { length: TURNS },
    (_, turn) => `${turn < fault.after ? 'First' : 'Second'} ${turn}`,
  );
  expect(items('LLM_TOOL_CALL').map(({ content }) => content)).toEqual(callers);

  // The partial text of the interrupted answer is stored once, marked as such, and sent to no model.
  const said = `First looks for the ${fault.after}. time.`;
  const partial = { start: null, text: said.slice(0, Math.floor(said.length / 2)), call: said }[fault.at];
  const broken = session.timeline.filter(({ metadata }) => metadata?.interrupted === true);
  const status = fault.how === 'silence' ? 'TIMED_OUT' : 'FAILED';
  const tries = partial === null ? 0 : calls - fault.after;
  expect(
    broken.filter(({ type }) => type === 'LLM_RESPONSE').map((item) => [item.status, item.content]),
  ).toEqual(Array(tries).fill([status, partial]));
  const answers = execution.messages.filter(({ role }) => role === 'ASSISTANT').map(({ content }) => content);
  expect(answers).toEqual([
    ...Array.from(
      { length: TURNS },
      (_, turn) => `${turn < fault.after ? 'First' : 'Second'} looks for the ${turn}. time.`,
    ),
    'Second found it.',
  ]);
  expect(execution.messages.filter(({ role }) => role === 'USER')).toHaveLength(1);
});
