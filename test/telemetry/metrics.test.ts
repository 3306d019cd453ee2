import { createClient } from 'graphql-ws';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

// Each test has its own application, because counters never go back.
let app: TestApp;
beforeEach(async () => {
  app = await startTestApp({ env: { METRICS_PORT: '0' }, version: '1.2.3+0123456789ab' });
});
afterEach(() => app.stop());

/** Returns the values on a metrics page by name and labels. */
async function scrape(url = app.url): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  );
}

describe('/metrics', () => {
  it('counts an investigation, its calls and the operations on it', async () => {
    const usage = { input: 10, output: 5, thinking: 2 };
    app.llm.script(
      [toolCall('tools.echo', { text: 'a' }), toolCall('tools.invented', { secret: 'x' }), { usage }],
      { error: { code: 'rate_limited', retryable: true } },
      { text: 'The disk is full.' },
      { text: 'Short.' },
    );
    const api = apiClient(app.url);
    const id = await api.submit('Disk trouble');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    // The end of a run is counted after its status is stored.
    await expect.poll(async () => (await scrape()).get('tarsy_session_duration_seconds_count')).toBe(1);
    await expect.poll(async () => (await scrape()).get('tarsy_sessions_active')).toBe(0);
    const samples = await scrape();
    const of = (name: string) => samples.get(name);
    expect(of('tarsy_sessions_submitted_total{alert_type="test"}')).toBe(1);
    expect(of('tarsy_sessions_terminal_total{alert_type="test",status="completed"}')).toBe(1);
    expect(of('tarsy_session_duration_seconds_count')).toBe(1);
    expect(of('tarsy_session_wait_seconds_count')).toBe(1);
    expect(of('tarsy_llm_calls_total{provider="openai",model="scripted-1"}')).toBe(4);
    expect(of('tarsy_llm_errors_total{provider="openai",model="scripted-1",error_code="rate_limited"}')).toBe(
      1,
    );
    expect(of('tarsy_llm_tokens_total{provider="openai",model="scripted-1",direction="thinking"}')).toBe(2);
    expect(of('tarsy_llm_unpriced_calls_total{provider="openai",model="scripted-1"}')).toBe(3);
    const chat =
      'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="scripted-1"';
    const duration = 'gen_ai_client_operation_duration_seconds_count';
    expect(of(`${duration}{${chat},error_type=""}`)).toBe(3);
    expect(of(`${duration}{${chat},error_type="rate_limited"}`)).toBe(1);
    expect(of(`gen_ai_client_operation_time_to_first_chunk_seconds_count{${chat}}`)).toBe(3);
    expect(of(`gen_ai_client_token_usage_sum{${chat},gen_ai_token_type="input"}`)).toBe(30);
    expect(of(`gen_ai_client_token_usage_sum{${chat},gen_ai_token_type="output"}`)).toBe(17);
    expect(of('tarsy_mcp_calls_total{server="tools",tool="tools.echo"}')).toBe(1);
    expect(of('tarsy_mcp_errors_total{server="unknown",tool="unknown"}')).toBe(1);
    expect(of('tarsy_event_lag_seconds_count')).toBeGreaterThan(5);
    expect(of('tarsy_subscription_results_total')).toBeGreaterThan(5);
    expect(of('tarsy_workers_total')).toBe(5);
    for (const outcome of ['requeued', 'failed', 'cancelled'])
      expect(of(`tarsy_orphans_recovered_total{outcome="${outcome}"}`)).toBe(0);
    expect(of('tarsy_graphql_operations_total{type="mutation",name="anonymous",outcome="ok"}')).toBe(1);
    expect(of('tarsy_http_requests_total{method="POST",path="/graphql",status_code="200"}')).toBe(1);
    expect([...samples.keys()].join('\n')).not.toContain('invented');
  });

  it("reports the build's version and commit", async () => {
    expect((await scrape()).get('tarsy_build_info{version="1.2.3",commit="0123456789ab"}')).toBe(1);
  });

  it('counts open sockets, and limits the number of operation names', async () => {
    const client = createClient({
      url: `${app.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      lazy: false,
      retryAttempts: 0,
    });
    for (let n = 0; n < 310; n++) {
      await client.iterate({ query: `query Name${n} { alertTypes { name } }` }).next();
    }
    const samples = await scrape();
    expect(samples.get('tarsy_ws_connections_active')).toBe(1);
    const names = [...samples.keys()].filter((key) =>
      key.startsWith('tarsy_graphql_operations_total{type="query"'),
    );
    expect(names.length).toBeLessThanOrEqual(301);
    expect(
      samples.get('tarsy_graphql_operations_total{type="query",name="other",outcome="ok"}'),
    ).toBeGreaterThan(0);
    await client.dispose();
    await expect.poll(async () => (await scrape()).get('tarsy_ws_connections_active')).toBe(0);
  });

  it('is also served on its own port, with health and nothing else', async () => {
    const own = app.app.metricsUrl ?? '';
    expect(new URL(own).hostname).toBe('127.0.0.1');
    expect((await scrape(own)).get('tarsy_build_info{version="1.2.3",commit="0123456789ab"}')).toBe(1);
    const health = await fetch(`${own}/health`);
    expect([health.status, await health.json()]).toMatchObject([
      200,
      { status: 'healthy', checks: { worker_pool: {} } },
    ]);
    expect((await fetch(`${own}/graphql`)).status).toBe(404);
  });
});

it('a worker without an API serves its metrics', async () => {
  const worker = await startTestApp({ role: 'worker', env: { METRICS_PORT: '0' } });
  const samples = await scrape(worker.app.metricsUrl ?? '');
  const health = await fetch(`${worker.app.metricsUrl}/health`);
  expect(await health.json()).toMatchObject({
    checks: { database: {}, worker_pool: {}, llm_service: { status: 'healthy' } },
  });
  await worker.stop();
  expect(samples.get('tarsy_workers_total')).toBe(5);
});
