import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { devPython, ROOT } from '../../scripts/lib/dev-python.ts';
import { startLlmProcess } from '../../src/machine/llm-process.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';

/**
 * Tests TARSy as a new user without a model key uses it: with the real LLM service, and tools on this
 * machine.
 */
let service: Awaited<ReturnType<typeof startLlmProcess>>;
let app: TestApp;
const ON = { report: { enabled: true }, hypotheses: { enabled: true } };

beforeAll(async () => {
  service = await startLlmProcess({
    python: await devPython(),
    serviceDir: `${ROOT}/llm-service`,
    env: { ...process.env, OFFLINE_CHUNK_DELAY_MS: '0' },
    logger: pino({ level: 'silent' }),
  });
  app = await startTestApp({
    llmAddress: service.address,
    defaults: { llm_provider: 'offline', max_iterations: 10, ...ON },
    agents: { CallingAgent: { mcp_servers: ['host'] }, TextAgent: { mcp_servers: ['host'] } },
    stages: [
      {
        name: 'look',
        agents: [{ name: 'CallingAgent' }, { name: 'TextAgent', iteration_strategy: 'react' }],
      },
    ],
  });
}, 60_000);
afterAll(async () => {
  await app?.stop();
  await service?.stop();
});

interface Seen {
  session: {
    finalAnalysis: string;
    executiveSummary: string;
    report: { verdict: string; evidenceScore: number; claims: { status: string; problem: string | null }[] };
    hypotheses: { text: string; state: string; agent: string }[];
    timeline: { type: string; status: string; content: string; metadata: Record<string, unknown> | null }[];
    stages: { name: string; status: string; executions: { agentName: string; status: string }[] }[];
  };
}

const seen = async (id: string) =>
  (
    await apiClient(app.url).query<Seen>(
      `query ($id: ID!) { session(id: $id) { finalAnalysis executiveSummary
         hypotheses { text state agent } report { verdict evidenceScore claims { status problem } }
         timeline { type status content metadata }
         stages { name status executions { agentName status } } } }`,
      { id },
    )
  ).session;

/** Returns the lines within code blocks. */
const quoted = (report: string) =>
  [...report.matchAll(/^(`{3,})text\n(.*?)\n\1$/gms)].flatMap((block) => block[2]!.split('\n'));

test('both strategies end in the same report with exact quotes, which answers refer to', {
  timeout: 120_000,
}, async () => {
  const api = apiClient(app.url);
  const id = await api.submit('Memory usage above 0% on this host');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  const session = await seen(id);
  expect(session.stages.map(({ name, status }) => [name, status])).toEqual([
    ['look', 'COMPLETED'],
    ['look - Synthesis', 'COMPLETED'],
    ['Report', 'COMPLETED'],
  ]);
  expect(session.timeline.filter(({ type }) => type === 'ERROR')).toEqual([]);
  const calls = session.timeline.filter(({ type }) => type === 'LLM_TOOL_CALL');
  const measured = calls.filter(({ metadata }) => metadata?.tool_name === 'memory_and_load');
  expect(measured.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);

  expect(session.finalAnalysis).toContain("the alert's condition holds now");
  expect(session.finalAnalysis).toContain('`host.memory_and_load` for CallingAgent and TextAgent');
  expect(session.finalAnalysis).toContain('No language model was involved');
  expect(session.executiveSummary).toContain('its condition holds now');
  expect(session.report).toMatchObject({ verdict: 'ACTION_REQUIRED', evidenceScore: 1 });
  expect(session.report.claims.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(session.report.claims.some(({ status }) => status === 'SUPPORTED')).toBe(true);
  const text = 'The condition of the alert holds: Memory usage above 0% on this host';
  const hypothesis = { text, state: 'SUPPORTED' };
  expect(session.hypotheses.toSorted((a, b) => (a.agent < b.agent ? -1 : 1))).toEqual([
    { ...hypothesis, agent: 'CallingAgent' },
    { ...hypothesis, agent: 'TextAgent' },
  ]);
  expect(session.finalAnalysis).not.toContain('update_hypotheses');
  const lines = quoted(session.finalAnalysis);
  expect(lines.length).toBeGreaterThan(5);
  const written = calls.flatMap(({ content }) => content.split('\n').map((line) => line.trimEnd()));
  for (const line of lines)
    expect(
      written.some((one) => one.startsWith(line)),
      line,
    ).toBe(true);

  const asked = await api.query<{ sendChatMessage: { __typename: string } }>(
    `mutation ($input: SendChatMessageInput!) { sendChatMessage(input: $input) { __typename } }`,
    { input: { sessionId: id, content: 'How much swap is there?' } },
  );
  expect(asked.sendChatMessage.__typename).toBe('SendChatMessageSuccess');
  const answers = async () =>
    (await seen(id)).timeline.filter(({ type }) => type === 'FINAL_ANALYSIS').map(({ content }) => content);
  await expect.poll(async () => (await answers()).length, { timeout: 60_000 }).toBe(4);
  const answer = (await answers()).at(-1)!;
  expect(answer).toContain('**Question:** How much swap is there?');
  expect(answer).toContain('CallingAgent, TextAgent: `host.memory_and_load`');
  expect(quoted(answer).some((line) => /^swap /.test(line))).toBe(true);
});
