import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/engine/llm/gen/llm_service.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type FreezingProxy, openFreezingProxy, type ProxyMode } from '../helpers/freezing-proxy.ts';
import { type ScriptedLlm, startScriptedLlm, toolCall } from '../helpers/scripted-llm/index.ts';

/** Seconds that the LLM service is away: many times what three failures in a row take. */
const SECONDS = (process.env.LLM_OUTAGE_SECONDS ?? '5').split(',').map(Number);

let app: TestApp;
let api: ApiClient;
let llm: ScriptedLlm;
let proxy: FreezingProxy;
afterEach(async () => {
  await app.stop();
  await proxy.close();
  await llm.close();
});

async function start(strategy: string, timeouts: Record<string, string> = {}): Promise<void> {
  llm = await startScriptedLlm();
  proxy = await openFreezingProxy(`tcp://${llm.address}`);
  const limits = { llm_first_token: '1s', llm_stall: '1s', ...timeouts };
  app = await startTestApp({
    defaults: { iteration_strategy: strategy, max_iterations: 4, timeouts: limits },
    llmAddress: new URL(proxy.url).host,
  });
  api = apiClient(app.url);
}

interface Item {
  type: string;
  status: string;
  content: string;
  metadata: Record<string, unknown> | null;
}

async function readTimeline(id: string): Promise<Item[]> {
  const { session } = await api.query<{ session: { timeline: Item[] } }>(
    'query ($id: ID!) { session(id: $id) { timeline { type status content metadata } } }',
    { id },
  );
  return session.timeline;
}

const ANSWERS = {
  langchain: { tool: [{ text: 'Looking.' }, toolCall('tools.echo', { text: 'one' })], last: 'All is well.' },
  react: {
    tool: [{ text: 'Thought: look\nAction: tools.echo\nAction Input: {"text": "one"}' }],
    last: 'Thought: done\nFinal Answer: All is well.',
  },
} as const;

/** Answers by what the conversation holds, for what is sent in an outage may come late; waits in the first answer. */
function scriptWaiting(strategy: keyof typeof ANSWERS): void {
  const { tool, last } = ANSWERS[strategy];
  let isFirst = true;
  llm.otherwise((request: GenerateRequest) => {
    const said = request.messages.map(({ content }) => content).join('\n');
    if (!said.includes('Wait for me')) return { text: 'In short.' };
    if (said.includes('echo: one')) return { text: last };
    if (!isFirst) return [...tool];
    isFirst = false;
    return [{ thinking: 'Well' }, { gate: 'first' }, ...tool];
  });
}

const MODES: Record<string, ProxyMode> = { killed: 'refuse', frozen: 'held' };
const ways = Object.keys(MODES).flatMap((mode) =>
  SECONDS.flatMap((seconds) =>
    (['langchain', 'react'] as const).map((strategy) => [mode, seconds, strategy] as const),
  ),
);

describe('while the LLM service is away', () => {
  test.each(ways)(
    'an investigation waits, and completes (%s for %i s, %s)',
    async (mode, seconds, strategy) => {
      await start(strategy);
      scriptWaiting(strategy);
      const id = await api.submit('Wait for me');
      await llm.reached('first');
      await proxy.set(MODES[mode]!);
      await delay(seconds * 1000); // the outage itself
      await proxy.set('pass');
      llm.open('first');
      const ended = await api.waitFor(id, ({ status }) => ENDED.has(status));
      expect(ended).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'All is well.' });
      const timeline = await readTimeline(id);
      const of = (wanted: string) => timeline.filter(({ type }) => type === wanted);
      expect(of('FINAL_ANALYSIS')).toHaveLength(1);
      expect(of('LLM_TOOL_CALL')).toHaveLength(1);
      const waits = timeline.filter(({ metadata }) => metadata?.outage === true);
      expect(waits).toHaveLength(1);
      expect(waits[0]).toMatchObject({
        type: 'ERROR',
        status: 'COMPLETED',
        content: expect.stringMatching(/^The model cannot be had just now: .*It is there again\.$/),
      });
    },
    Math.max(...SECONDS) * 1000 + 120_000,
  );

  test('an agent gives up when it has waited for as long as it may', async () => {
    await start('langchain', { llm_outage: '2s' });
    scriptWaiting('langchain');
    await proxy.set('held');
    const id = await api.submit('Wait for me');
    const ended = await api.waitFor(id, ({ status }) => ENDED.has(status));
    expect(ended).toMatchObject({ status: 'FAILED' });
    expect(ended.errorMessage).toContain('could not be had for 2s');
    const wait = (await readTimeline(id)).find(({ metadata }) => metadata?.outage === true);
    expect(wait).toMatchObject({ status: 'FAILED', content: expect.stringContaining('given up after 2s') });
  }, 60_000);

  test('a wait is cancelled at once', async () => {
    await start('langchain');
    scriptWaiting('langchain');
    await proxy.set('held');
    const id = await api.submit('Wait for me');
    const items = api.subscribe<{ sessionEvents: { timelineEvent?: { type: string } } }>(
      `subscription ($id: ID!) { sessionEvents(sessionId: $id) { ... on TimelineEventCreated { timelineEvent { type } } } }`,
      { id },
    );
    for await (const { sessionEvents } of items) if (sessionEvents.timelineEvent?.type === 'ERROR') break;
    await api.query(`mutation ($id: ID!) { cancelSession(id: $id) { __typename } }`, { id });
    expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'CANCELLED' });
    const wait = (await readTimeline(id)).find(({ metadata }) => metadata?.outage === true);
    expect(wait).toMatchObject({ status: 'CANCELLED' });
  }, 60_000);
});
