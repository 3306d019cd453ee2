import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value =
  | { stringValue: string }
  | { intValue: number | string }
  | { doubleValue: number }
  | { boolValue: boolean }
  | { arrayValue: { values: Value[] } };

/** A span as it arrives at a collector. */
export interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Value }[];
  links?: { traceId: string; spanId: string; traceState?: string }[];
  status: { code?: number; message?: string };
}

export const SPAN_KIND = { INTERNAL: 1, SERVER: 2, CLIENT: 3 };

/** Starts a collector of OTLP traces over HTTP that stores the bodies and paths of its requests. */
export async function startTraceCollector() {
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
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a span's attributes by name. */
export function attributesOf({ attributes }: SentSpan): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain(value: Value): unknown {
  if ('arrayValue' in value) return value.arrayValue.values.map(plain);
  if ('intValue' in value) return Number(value.intValue);
  return Object.values(value)[0];
}

/** Returns the names of a span and its ancestors, such as `/session/stage`, with the numbers of iterations. */
export function pathOf(span: SentSpan, spans: readonly SentSpan[]): string {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  const { 'tarsy.iteration': number } = attributesOf(span);
  const name = number === undefined ? span.name : `${span.name} ${number}`;
  return `${parent ? pathOf(parent, spans) : ''}/${name}`;
}

/** Returns the W3C header that a span's calls carry. */
export const headerOf = ({ traceId, spanId }: SentSpan) => `00-${traceId}-${spanId}-01`;
