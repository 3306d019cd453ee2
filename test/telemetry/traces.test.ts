import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  status: { code?: number; message?: string };
}

/** Starts a trace collector that stores the bodies and paths of its requests. */
async function startCollector() {
  const bodies: string[] = [];
  const paths: string[] = [];
  const server = createServer(async (req, res) => {
    bodies.push(Buffer.concat(await req.toArray()).toString());
    paths.push(req.url ?? '');
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    bodies,
    spans: () =>
      bodies.flatMap((body) => {
        const sent = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] };
        return sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
      }),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

let collector: Awaited<ReturnType<typeof startCollector>>;
let app: TestApp;
beforeAll(async () => {
  collector = await startCollector();
  app = await startTestApp({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
});
afterAll(() => collector.close());

test('an investigation is one trace: session, stage, agent, iterations, their calls', async () => {
  app.llm.script(
    [{ thinking: 'SECRET-THOUGHT' }, toolCall('tools.echo', { text: 'SECRET-ARGUMENT' })],
    { text: 'SECRET-ANALYSIS' },
    { text: 'SECRET-SUMMARY' },
  );
  const api = apiClient(app.url);
  const id = await api.submit('SECRET-ALERT');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  await app.stop(); // a stopping process sends its remaining spans

  const spans = collector.spans();
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path = (span: SentSpan | undefined): string => {
    if (!span) return '';
    const number = span.attributes.find(({ key }) => key === 'tarsy.iteration')?.value.intValue;
    return `${path(byId.get(span.parentSpanId ?? ''))}/${span.name}${number === undefined ? '' : ` ${number}`}`;
  };
  expect(spans.map(path).sort()).toEqual([
    '/session',
    '/session/llm.call',
    '/session/stage',
    '/session/stage/agent',
    '/session/stage/agent/iteration 1',
    '/session/stage/agent/iteration 1/llm.call',
    '/session/stage/agent/iteration 1/tool.call',
    '/session/stage/agent/iteration 2',
    '/session/stage/agent/iteration 2/llm.call',
  ]);
  const uuid = Buffer.from(id, 'base64').toString().split(':')[1] ?? '';
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([uuid.replaceAll('-', '')]));
  expect(new Set(collector.paths)).toEqual(new Set(['/v1/traces']));
  expect(collector.bodies.join()).not.toContain('SECRET');
  expect(collector.bodies.join()).toContain('scripted-1');
  expect(collector.bodies.join()).toContain('tools');
});
