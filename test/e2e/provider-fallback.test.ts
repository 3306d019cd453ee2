import { afterEach, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { fails, investigate, lists, of } from '../helpers/fallbacks.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/**
 * Tests how agents fall back from an unavailable provider, as the engine sees the failure. The providers'
 * wire formats are tested in fallback-wires.test.ts, agents that resume in provider-fallback-resume.test.ts.
 */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

let stop: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of stop.toReversed()) await each();
  stop = [];
});

const FIRST = 'scripted-1';
const SECOND = 'scripted-2';
const THIRD = 'scripted-3';
const MONTH = { per: 'month', limit_tokens: 100, degrade: ['cheaper_model'] };
const CHEAPER = { monthly: { ...MONTH, cheaper_llm_provider: 'scripted-small' } };

const ALONE = { defaults: lists(), chain: lists() };

async function start(options: Parameters<typeof startTestApp>[0] = {}): Promise<TestApp> {
  const app = await startTestApp({
    ...options,
    defaults: {
      ...lists('scripted-google', 'scripted-small'),
      memory: { enabled: false },
      ...options.defaults,
    },
    chain: {
      executive_summary_provider: 'offline',
      ...lists('scripted-google', 'scripted-small'),
      ...options.chain,
    },
  });
  stop.push(() => app.stop());
  app.llm.route(
    (request) => request.llmConfig?.provider === 'offline',
    ...Array(20).fill({ text: 'Short.' }),
  );
  return app;
}

test('abandons a provider that refuses, at once and permanently, and records both', async () => {
  const app = await start();
  app.llm.route(of(FIRST), fails('invalid_credentials'));
  app.llm.route(of(SECOND), toolCall('tools.echo', { text: 'x' }), { text: 'It is full.' });
  const { session, items, execution } = await investigate(app);
  expect(session).toMatchObject({ status: 'COMPLETED', health: { fallbacks: 1, whole: true } });
  expect(items('FINAL_ANALYSIS')).toMatchObject([{ content: 'It is full.' }]);
  expect(execution).toMatchObject({
    llmProvider: 'scripted-google',
    originalLlmProvider: 'scripted',
    modelName: SECOND,
  });
  expect(items('PROVIDER_FALLBACK')).toMatchObject([
    {
      status: 'COMPLETED',
      content: `${FIRST} (scripted) is unavailable: invalid_credentials: it says invalid_credentials. Falling back to ${SECOND} (scripted-google).`,
      metadata: {
        iteration: 1,
        reason: 'REFUSED',
        error_code: 'invalid_credentials',
        from: { provider: 'scripted', backend: 'langchain', model: FIRST },
        to: { provider: 'scripted-google', backend: 'langchain', model: SECOND },
        native_tools_dropped: [],
        skipped: [],
      },
    },
  ]);
  expect(items('ERROR')).toEqual([]);
  // The circuit of the failed provider is open, so the next investigation skips that provider.
  app.llm.route(of(SECOND), { text: 'Again.' });
  const next = await investigate(app);
  expect(next.items('PROVIDER_FALLBACK')).toMatchObject([{ metadata: { reason: 'CIRCUIT_OPEN' } }]);
  expect(app.llm.requests.filter(of(FIRST))).toHaveLength(1);
  expect(next.session.status).toBe('COMPLETED');
  const metrics = await (await fetch(`${app.url}/metrics`)).text();
  const fallbacks = (reason: string) =>
    new RegExp(`^tarsy_llm_fallbacks_total\\{[^}]*reason="${reason}"[^}]*\\} 1$`, 'm');
  expect(metrics).toMatch(fallbacks('refused'));
  expect(metrics).toMatch(fallbacks('circuit_open'));
  expect(metrics).toMatch(/^tarsy_llm_circuit_open\{[^}]*provider="scripted"[^}]*\} 1$/m);
});

test('keeps partial text once as interrupted, and sends it to no model', async () => {
  const app = await start();
  app.llm.route(of(FIRST), toolCall('tools.echo', { text: 'x' }), [
    { thinking: 'Hm, hm.' },
    { text: ['The disk ', 'is'] },
    { error: { code: 'partial_stream_error', retryable: true } },
  ]);
  app.llm.route(of(SECOND), { text: 'The disk is full.' });
  const { session, items, execution } = await investigate(app);
  expect(session.status).toBe('COMPLETED');
  const cut = { status: 'FAILED', metadata: { interrupted: true } };
  expect(items('LLM_RESPONSE')).toMatchObject([{ ...cut, content: 'The disk is' }]);
  expect(items('LLM_THINKING')).toMatchObject([{ content: 'Hm, hm.' }]);
  expect(items('FINAL_ANALYSIS')).toMatchObject([{ status: 'COMPLETED', content: 'The disk is full.' }]);
  expect(execution.messages.map(({ role }) => role)).toEqual([
    'SYSTEM',
    'USER',
    'ASSISTANT',
    'TOOL',
    'ASSISTANT',
  ]);
  const [before, after] = [app.llm.requests.filter(of(FIRST))[1]!, app.llm.requests.find(of(SECOND))!];
  expect(after.messages).toEqual(before.messages);
});

test('repeats an interrupted turn in place, and does not execute its partial call', async () => {
  const app = await start();
  app.llm.route(
    of(FIRST),
    [toolCall('tools.echo', { text: 'half' }), { error: { code: 'partial_stream_error', retryable: true } }],
    toolCall('tools.echo', { text: 'whole' }),
    { text: 'Done.' },
  );
  const { session, items } = await investigate(app);
  expect(session).toMatchObject({ status: 'COMPLETED', health: { fallbacks: 0 } });
  expect(items('LLM_TOOL_CALL').map(({ content }) => content)).toEqual(['echo: whole']);
});

test.each([
  ['first_token_timeout', 'SILENT'],
  ['malformed_tool_call', 'MALFORMED'],
])('%s: retries once, then falls back', async (code, reason) => {
  const app = await start();
  app.llm.route(of(FIRST), fails(code), fails(code));
  app.llm.route(of(SECOND), { text: 'Done.' });
  const { session, items } = await investigate(app);
  expect(session.status).toBe('COMPLETED');
  expect(app.llm.requests.filter(of(FIRST))).toHaveLength(2);
  expect(items('PROVIDER_FALLBACK')).toMatchObject([{ metadata: { reason } }]);
});

test('returns to a provider that it left, if no other answers', async () => {
  const app = await start({ chain: lists('scripted-google') });
  app.llm.route(of(FIRST), toolCall('tools.echo', { text: 'x' }), fails('rate_limited'), { text: 'Done.' });
  app.llm.route(of(SECOND), ...Array(10).fill(fails('provider_unavailable')));
  const { session, items, execution } = await investigate(app);
  expect(session).toMatchObject({ status: 'COMPLETED', health: { fallbacks: 2 } });
  expect(
    items('PROVIDER_FALLBACK').map(({ metadata }) => (metadata!.to as { provider: string }).provider),
  ).toEqual(['scripted-google', 'scripted']);
  expect(items('ERROR')).toMatchObject([
    { content: expect.stringContaining('The model is available again.') },
  ]);
  expect(execution).toMatchObject({ llmProvider: 'scripted', originalLlmProvider: 'scripted' });
});

test('a wait that ends with another failure does not say that the model is available', async () => {
  const app = await start(ALONE);
  app.llm.route(of(FIRST), fails('provider_unavailable'), fails('invalid_credentials'));
  const { session, items } = await investigate(app);
  expect(session.status).toBe('FAILED');
  expect(items('ERROR')[0]).toMatchObject({
    content: expect.stringMatching(
      /Retrying for up to .*\. The wait is over, because the call failed for another/,
    ),
  });
});

test("tries providers in order, and the last one's failure is the agent’s", async () => {
  const app = await start();
  app.llm.route(of(FIRST), fails('missing_credentials'));
  app.llm.route(of(SECOND), fails('provider_error'));
  app.llm.route(of(THIRD), fails('invalid_credentials'));
  app.llm.otherwise(fails('invalid_credentials'));
  const { session, items, execution } = await investigate(app);
  expect(session.status).toBe('FAILED');
  expect(items('PROVIDER_FALLBACK').map(({ metadata }) => metadata?.reason)).toEqual([
    'REFUSED',
    'BROKEN_OFF',
  ]);
  expect(execution).toMatchObject({ llmProvider: 'scripted-small', originalLlmProvider: 'scripted' });
});

test('does not fall back after a content filter or an invalid request', async () => {
  const app = await start();
  for (const code of ['content_blocked', 'invalid_request']) {
    app.llm.route(of(FIRST), { error: { code, retryable: false } });
    const { session } = await investigate(app);
    expect(session).toMatchObject({ status: 'FAILED', health: { fallbacks: 0 } });
  }
});

test('notifies a model which of its native tools are gone', async () => {
  const app = await start({
    agents: {
      TestAgent: {
        mcp_servers: ['tools'],
        llm_provider: 'scripted-google',
        native_tools: { google_search: true },
      },
    },
    chain: lists('scripted'),
  });
  app.llm.route(of(SECOND), toolCall('tools.echo', { text: 'x' }), fails('rate_limited', 100));
  app.llm.route(of(FIRST), { text: 'Done.' });
  const { items, execution } = await investigate(app);
  expect(items('PROVIDER_FALLBACK')).toMatchObject([
    {
      content: expect.stringContaining('Tools not available there: google_search.'),
      metadata: { native_tools_dropped: ['google_search'] },
    },
  ]);
  expect(execution.messages.at(-2)).toMatchObject({
    role: 'USER',
    content: expect.stringContaining('google_search'),
  });
});

test('does not return to a provider that a budget would choose', async () => {
  const app = await start({ budgets: CHEAPER, chain: lists('scripted-google') });
  app.llm.route(of(FIRST), [toolCall('tools.echo', { text: 'a' }), { usage: { input: 200, output: 0 } }]);
  app.llm.route(of(THIRD), fails('invalid_credentials'));
  app.llm.route(of(SECOND), toolCall('tools.echo', { text: 'b' }), { text: 'Done.' });
  const { session, execution } = await investigate(app);
  expect(session).toMatchObject({ status: 'COMPLETED', health: { fallbacks: 1 } });
  expect(
    app.llm.requests
      .filter(({ llmConfig }) => llmConfig?.provider !== 'offline')
      .map(({ llmConfig }) => llmConfig?.model),
  ).toEqual([FIRST, THIRD, SECOND, SECOND]);
  expect(execution).toMatchObject({ llmProvider: 'scripted-google', originalLlmProvider: 'scripted' });
});

test("returns to the agent's own provider if a budget's cheaper one is unavailable and no other is left", async () => {
  const app = await start({ budgets: CHEAPER, chain: lists() });
  app.llm.route(
    of(FIRST),
    [toolCall('tools.echo', { text: 'a' }), { usage: { input: 200, output: 0 } }],
    toolCall('tools.echo', { text: 'b' }),
    { text: 'Done.' },
  );
  app.llm.route(of(THIRD), fails('invalid_credentials'));
  const { session, execution } = await investigate(app);
  expect(session).toMatchObject({ status: 'COMPLETED', health: { fallbacks: 1 } });
  expect(execution.llmProvider).toBe('scripted');
});

test('falls back to a larger window for a conversation that is too long, and to no other', async () => {
  const app = await start({ chain: lists('scripted-small', 'scripted-google') });
  const tooLong = fails('context_too_long');
  app.llm.route(of(FIRST), toolCall('tools.count_lines', { n: 20 }), tooLong, tooLong);
  app.llm.route(of(SECOND), { text: 'Done.' });
  const { session, items } = await investigate(app);
  expect(session.status).toBe('COMPLETED');
  const skipped = [{ provider: 'scripted-small', reason: 'WINDOW' }];
  expect(items('PROVIDER_FALLBACK')).toMatchObject([{ metadata: { reason: 'TOO_LONG', skipped } }]);
});

test('summaries of results and of the session fall back too', async () => {
  const app = await start({
    chain: { executive_summary_provider: 'scripted-small', ...lists('scripted-google') },
    tools: { summarization: { enabled: true, size_threshold_tokens: 100 } },
    defaults: { summarization: { llm_provider: 'scripted-small' } },
  });
  app.llm.route(of(FIRST), toolCall('tools.count_lines', { n: 200 }), { text: 'Done.' });
  app.llm.route(of(THIRD), [
    { text: 'It cou' },
    { error: { code: 'partial_stream_error', retryable: true } },
  ]);
  app.llm.route(of(THIRD), fails('invalid_credentials'));
  app.llm.route(of(SECOND), { text: 'It counts.' }, { text: 'Short.' });
  const { session, items, execution } = await investigate(app);
  expect(session).toMatchObject({ status: 'COMPLETED', health: { fallbacks: 2 } });
  const texts = (type: string) => items(type).map(({ status, content }) => [status, content]);
  expect(texts('MCP_TOOL_SUMMARY')).toEqual([
    ['FAILED', 'It cou'],
    ['COMPLETED', 'It counts.'],
  ]);
  expect(texts('EXECUTIVE_SUMMARY').at(-1)).toEqual(['COMPLETED', 'Short.']);
  expect(items('PROVIDER_FALLBACK').map(({ metadata }) => metadata?.reason)).toEqual([
    'BROKEN_OFF',
    'REFUSED',
  ]);
  expect(execution).toMatchObject({ llmProvider: 'scripted', originalLlmProvider: null });
});
