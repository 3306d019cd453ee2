import { afterEach, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { approvalsOf, decide } from '../helpers/approvals.ts';
import { startCluster } from '../helpers/cluster.ts';
import { conventionProblems } from '../helpers/conventions.ts';
import { alertBody, intakeConfig, sendDelivery } from '../helpers/deliveries.ts';
import { globalId } from '../helpers/http-api.ts';
import { startTracedTools } from '../helpers/mcp/traced-tools.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import {
  attributesOf,
  headerOf,
  pathOf,
  type SentSpan,
  SPAN_KIND,
  startTraceCollector,
} from '../helpers/trace-collector.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(options: Parameters<typeof startTestApp>[0] = {}) {
  const collector = await startTraceCollector();
  closing.push(collector.close);
  const app = await startTestApp({ ...options, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  /** Stops the app, which sends its remaining spans, and returns all spans. */
  const stopped = async () => {
    await app.stop();
    return collector.spans();
  };
  return { app, collector, stopped };
}

async function ended(app: TestApp, id: string): Promise<void> {
  await apiClient(app.url).waitFor(id, ({ status }) => ENDED.has(status));
}

const named = (spans: readonly SentSpan[], name: string) => spans.filter((span) => span.name === name);

test('one trace from the webhook to the tool server and the LLM service', async () => {
  const tools = await startTracedTools();
  closing.push(tools.close);
  const { app, stopped, collector } = await start({
    intake: intakeConfig(),
    mcpServers: { tools: { ...tools.settings, allow_changes: true } },
  });
  const usage = { input: 100, output: 20, thinking: 7, cachedRead: 40, cacheWrite: 3 };
  app.llm.script(
    [toolCall('tools.echo', { text: 'x' }, 'call_a'), { usage }],
    { text: 'Done.' },
    { text: 'Short.' },
  );
  const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
  const headers = { traceparent: `00-${caller.traceId}-${caller.spanId}-01`, tracestate: 'vendor=1' };
  const { session } = await sendDelivery(app.url, alertBody(), { headers });
  await ended(app, globalId('Session', session!));
  const spans = await stopped();

  expect(spans.map((span) => pathOf(span, spans)).sort()).toEqual([
    '/POST /webhooks/:source',
    '/POST /webhooks/:source/session',
    '/POST /webhooks/:source/session/chat scripted-1',
    '/POST /webhooks/:source/session/stage',
    '/POST /webhooks/:source/session/stage/invoke_agent TestAgent',
    '/POST /webhooks/:source/session/stage/invoke_agent TestAgent/iteration 1',
    '/POST /webhooks/:source/session/stage/invoke_agent TestAgent/iteration 1/chat scripted-1',
    '/POST /webhooks/:source/session/stage/invoke_agent TestAgent/iteration 1/execute_tool echo',
    '/POST /webhooks/:source/session/stage/invoke_agent TestAgent/iteration 2',
    '/POST /webhooks/:source/session/stage/invoke_agent TestAgent/iteration 2/chat scripted-1',
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([session!.replaceAll('-', '')]));
  expect(conventionProblems(spans)).toEqual([]);
  expect(new Set(collector.paths)).toEqual(new Set(['/v1/traces']));

  const [root] = named(spans, 'POST /webhooks/:source');
  expect(root).toMatchObject({ kind: SPAN_KIND.SERVER, links: [{ ...caller, traceState: 'vendor=1' }] });
  expect(root?.parentSpanId).toBeUndefined();
  expect(attributesOf(root!)).toMatchObject({
    'http.request.method': 'POST',
    'url.path': '/webhooks/prod',
    'http.response.status_code': 202,
    'gen_ai.conversation.id': session,
  });
  const [agent] = named(spans, 'invoke_agent TestAgent');
  expect(attributesOf(agent!)).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': 'openai',
    'gen_ai.agent.name': 'TestAgent',
    'gen_ai.agent.id': app.llm.calls[0]?.request.executionId,
    'gen_ai.conversation.id': session,
  });
  const [first, second] = named(spans, 'chat scripted-1').sort(byArrival(app));
  expect(first).toMatchObject({ kind: SPAN_KIND.CLIENT, status: {} });
  expect(attributesOf(first!)).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'scripted-1',
    'gen_ai.request.stream': true,
    'gen_ai.response.finish_reasons': ['tool_call'],
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 27,
    'gen_ai.usage.reasoning.output_tokens': 7,
    'gen_ai.usage.cache_read.input_tokens': 40,
    'gen_ai.usage.cache_creation.input_tokens': 3,
    'gen_ai.response.time_to_first_chunk': expect.any(Number),
    'tarsy.llm.purpose': 'iteration',
  });
  expect(attributesOf(second!)).toMatchObject({ 'gen_ai.response.finish_reasons': ['stop'] });
  expect(app.llm.calls.map(({ traceparent }) => traceparent).sort()).toEqual(
    named(spans, 'chat scripted-1').map(headerOf).sort(),
  );
  const [tool] = named(spans, 'execute_tool echo');
  expect(tool?.kind).toBe(SPAN_KIND.CLIENT);
  expect(attributesOf(tool!)).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'echo',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': 'call_a',
    'mcp.method.name': 'tools/call',
    'mcp.session.id': tools.sessions[0],
    'mcp.protocol.version': expect.stringMatching(/^20\d\d-/),
    'network.transport': 'tcp',
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(tools.url).port),
  });
  expect(tools.received).toEqual([{ header: headerOf(tool!), meta: headerOf(tool!) }]);
});

test('spans of failed and refused calls carry error.type, and no text', async () => {
  const { app, stopped, collector } = await start({
    auth: { mode: 'proxy' },
    access: {
      roles: { viewer: { users: ['*'] }, responder: { users: ['ana', 'bo'] }, admin: { users: ['root'] } },
      teams: {},
    },
    tools: { policy: [{ tools: ['note'], action: 'ask' }] },
  });
  app.llm.script(
    [
      { thinking: 'SECRET-THOUGHT' },
      { text: 'SECRET-TEXT' },
      toolCall('tools.fail'),
      toolCall('tools.echo', { text: 5, more: 'SECRET-ARGUMENT' }),
      { toolCall: { name: 'tools.echo', arguments: 'SECRET-BROKEN' } },
      toolCall('tools.SECRET-TOOL'),
    ],
    { error: { code: 'rate_limited', message: 'SECRET-ERROR', retryable: true } },
    toolCall('tools.note', { text: 'SECRET-NOTE' }),
    { error: { code: 'invalid_request', message: 'SECRET-ERROR' } },
  );
  app.llm.otherwise({ error: { code: 'invalid_request', message: 'SECRET-ERROR' } });
  const api = apiClient(app.url, { 'x-forwarded-user': 'ana' });
  const id = await api.submit('SECRET-ALERT');
  await denyApproval(api, apiClient(app.url, { 'x-forwarded-user': 'bo' }), id);
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const spans = await stopped();

  const errorsOf = (start: string) =>
    spans
      .filter(({ name }) => name.startsWith(start))
      .map((span) => [span.name, attributesOf(span)['error.type'] ?? null, span.status.code ?? 0].join(' '));
  expect(errorsOf('execute_tool').sort()).toEqual([
    'execute_tool echo invalid_arguments 2',
    'execute_tool echo invalid_arguments 2',
    'execute_tool fail tool_error 2',
    'execute_tool note approval_refused 2',
    'execute_tool unknown_tool 2',
  ]);
  expect(errorsOf('chat')).toEqual(
    expect.arrayContaining(['chat scripted-1 rate_limited 2', 'chat scripted-1 invalid_request 2']),
  );
  // The first run waits for the approval, which is no failure; the second run fails.
  expect(errorsOf('session').sort()).toEqual(['session  0', 'session failed 2']);
  expect(errorsOf('invoke_agent').sort()).toEqual([
    'invoke_agent TestAgent  0',
    'invoke_agent TestAgent failed 2',
  ]);
  expect(named(spans, 'POST /graphql').map((span) => pathOf(span, spans))).toEqual(['/POST /graphql']);
  expect(conventionProblems(spans)).toEqual([]);
  expect(collector.bodies.join()).not.toContain('SECRET');
});

async function denyApproval(asker: ApiClient, decider: ApiClient, id: string): Promise<void> {
  await asker.waitFor(id, ({ status }) => status === 'WAITING_FOR_APPROVAL');
  const [approval] = await approvalsOf(asker, id);
  expect(await decide(decider, approval!, false)).toBe('DENIED');
}

test('an investigation resumed after its worker was killed continues its trace', async () => {
  const collector = await startTraceCollector();
  closing.push(collector.close);
  const cluster = await startCluster({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' },
  });
  closing.push(cluster.stop);
  cluster.llm.script(toolCall('tools.echo', { text: 'a' }), [{ gate: 'killed' }, { text: 'lost' }]);
  const killed = await cluster.startWorker();
  const id = await cluster.api.submit('Disk trouble');
  await cluster.llm.reached('killed');
  await expect.poll(() => named(collector.spans(), 'execute_tool echo').length).toBe(1);
  await killed.end('SIGKILL');
  cluster.llm.script({ text: 'The disk is full.' }, { text: 'Short.' });
  const resumed = await cluster.startWorker();
  await cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
  await resumed.end('SIGTERM');

  const spans = collector.spans();
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const [root] = named(spans, 'POST /graphql');
  const [session] = named(spans, 'session');
  expect(attributesOf(session!)).toMatchObject({ 'tarsy.attempt': 2 });
  expect(pathOf(session!, spans)).toBe('/POST /graphql/session');
  expect(root?.traceId).toBe(session?.traceId);
  expect(named(spans, 'chat scripted-1')).toHaveLength(3); // one of the killed worker, two of the second
});

/** Orders model calls as the LLM service received them. */
function byArrival({ llm }: TestApp) {
  const order = llm.calls.map(({ traceparent }) => traceparent);
  return (a: SentSpan, b: SentSpan) => order.indexOf(headerOf(a)) - order.indexOf(headerOf(b));
}
