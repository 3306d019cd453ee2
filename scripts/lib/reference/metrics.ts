import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { LABELS } from '../../../src/telemetry/labels.ts';
import { createTelemetry } from '../../../src/telemetry/open.ts';
import type { GeneratedFile } from '../config-schemas.ts';
import { devPython, ROOT } from '../dev-python.ts';
import { codes, renderPage, table } from './markdown.ts';

interface MetricRow {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

const SERVICE_LABELS =
  'The label `code` is the [code](llm-errors.md) of the failure. The label `kind` is the kind of the tokens: `input`, `output`, `thinking`, `cached_input` or `cache_write`. The label `outcome` is `finished`, `failed` or `cancelled`.';

/** Returns the page of all metrics, read from the registries of the engine and of the LLM service. */
export async function metricsPage(): Promise<GeneratedFile> {
  const ours = engineMetrics();
  const isRuntime = ({ name }: MetricRow) => !/^(?:tarsy|gen_ai)_/.test(name);
  const labels = Object.entries(LABELS).map(([name, meaning]) => [`\`${name}\``, meaning]);
  return renderPage('metrics.md', '# Metrics', [
    `## API and workers\n\n${metricTable(ours.filter((row) => !isRuntime(row)))}`,
    `### Labels\n\n${table(['label', 'meaning'], labels)}`,
    `### Node\n\n${metricTable(ours.filter(isRuntime))}`,
    `## LLM service\n\n${SERVICE_LABELS}\n\n${metricTable(await serviceMetrics())}`,
  ]);
}

/** Properties of prom-client's metrics that its types leave out. */
interface RegisteredMetric {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** Returns the metrics that an engine process registers. */
export function engineMetrics(): MetricRow[] {
  const unread = async () => Promise.reject(new Error('no metric is read here'));
  const telemetry = createTelemetry({ countSessions: unread, readServers: unread }, '', []);
  telemetry.addFanOut({ subscribers: 0, groups: 0, executed: 0, delivered: 0, cutOff: 0 });
  telemetry.addEventBus(null);
  telemetry.addReadReplica(() => {
    throw new Error('no metric is read here');
  });
  telemetry.addCanaries(unread);
  telemetry.addWorkers({ total: 0, active: () => 0 });
  const registered = telemetry.registry.getMetricsAsArray() as unknown as readonly RegisteredMetric[];
  return registered.map((metric) => ({
    name: metric.name,
    type: metric.constructor.name.toLowerCase(),
    help: metric.help,
    labels: metric.labelNames ?? [],
  }));
}

const PRINT_METRICS = `
import json
from llm_service.metrics import Metrics
kinds = {"counter": "_total"}
print(json.dumps([
    {"name": c._name + kinds.get(c._type, ""), "type": c._type, "help": c._documentation, "labels": c._labelnames}
    for c in Metrics().registry._collector_to_names
]))
`;

/** Returns the metrics that the LLM service registers. */
async function serviceMetrics(): Promise<MetricRow[]> {
  const options = { cwd: join(ROOT, 'llm-service'), encoding: 'utf8' } as const;
  return JSON.parse(execFileSync(await devPython(), ['-c', PRINT_METRICS], options)) as MetricRow[];
}

function metricTable(metrics: readonly MetricRow[]): string {
  return table(
    ['metric', 'type', 'labels', 'unit', 'meaning'],
    metrics.map(({ name, type, help, labels }) => [
      `\`${name}\``,
      type,
      codes(labels),
      unitOf(name),
      help.replace(/\.$/, ''),
    ]),
  );
}

/** Units by the end of a metric's name, without the ending of counters. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_timestamp_seconds$|_time_seconds$/, 'Unix time (s)'],
  [/_seconds(?:_(?:min|max|mean|stddev|p\d+))?$/, 's'],
  [/_bytes$/, 'bytes'],
  [/_usd$/, 'USD'],
  [/_ratio$/, 'ratio'],
  [/_points$/, 'points'],
  [/_tokens$/, 'tokens'],
];

function unitOf(name: string): string {
  const base = name.replace(/_total$/, '');
  return UNITS.find(([ending]) => ending.test(base))?.[1] ?? '';
}
