import { expect, it } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp } from '../helpers/app.ts';
import { monitoringPrograms, startMonitoring } from '../helpers/monitoring.ts';
import { startTraceCollector } from '../helpers/trace-collector.ts';

const OPEN_METRICS = { accept: 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5' };

async function scrape(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/metrics`, { headers });
  return { type: response.headers.get('content-type'), text: await response.text() };
}

it('names the trace of the last model call in each bucket, only for scrapes that ask for OpenMetrics', async () => {
  const collector = await startTraceCollector();
  const app = await startTestApp({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  app.llm.script({ text: 'The disk is full.' }, { text: 'Short.' });
  const api = apiClient(app.url);
  const id = await api.submit('Disk trouble');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const open = await scrape(app.url, OPEN_METRICS);
  const plain = await scrape(app.url);
  await app.stop();
  await collector.close();

  const traceId = Buffer.from(id, 'base64').toString().split(':')[1]!.replaceAll('-', '');
  expect(open.type).toContain('application/openmetrics-text');
  expect(open.text).toContain(`gen_ai_token_type="input"} 2 # {trace_id="${traceId}"} 10 `);
  expect(open.text).toContain('tarsy_llm_calls_total{provider="openai",model="scripted-1"} 2');
  expect(open.text.endsWith('# EOF\n')).toBe(true);
  expect(plain.type).toContain('text/plain');
  expect(plain.text).not.toContain(traceId);
  expect(plain.text).toContain('# TYPE tarsy_llm_calls_total counter');
});

it.skipIf('missing' in monitoringPrograms)(
  'Prometheus reads the page as OpenMetrics',
  async () => {
    const app = await startTestApp();
    app.llm.script({ text: 'The disk is full.' }, { text: 'Short.' });
    const api = apiClient(app.url);
    const id = await api.submit('Disk trouble');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    const instance = new URL(app.url).host;
    const monitoring = await startMonitoring({ alertmanager: NO_ALERTS, rules: [], targets: [instance] });
    const sample = async (name: string) => {
      const series = await monitoring.query(`${name}{instance="${instance}"}`).catch(() => []);
      return (series as { value: [number, string] }[])[0]?.value[1];
    };
    await expect.poll(() => sample('up'), { timeout: 60_000, interval: 200 }).toBe('1');
    expect(await sample('tarsy_llm_calls_total')).toBe('2');
    expect(await sample('gen_ai_client_operation_duration_seconds_count')).toBe('2');
    await monitoring.stop();
    await app.stop();
  },
  120_000,
);

const NO_ALERTS = { route: { receiver: 'none' }, receivers: [{ name: 'none' }] };
