import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { MetricsText } from '../http/metrics.ts';
import type { LabelName } from './labels.ts';

/** Largest number of values of a label, because MCP servers choose tool names. Later values count as `other`. */
const MAX_LABEL_VALUES = 300;
/** Largest length of a label's value (characters). */
const MAX_LABEL_LENGTH = 80;

export type Metrics = ReturnType<typeof createMetrics>;

/** The value of a gauge, or one value for each combination of labels. */
type GaugeValue = number | { labels: Record<string, string>; value: number }[];

/** Returns the page of all metrics for a scrape with this `Accept` header: OpenMetrics, with exemplars, if it asks for it. */
export async function renderPage(registry: MetricsRegistry, accept: string): Promise<MetricsText> {
  const isOpen = accept.includes('application/openmetrics-text');
  const page = isOpen ? openRegistry() : new Registry();
  // Views, because a page in OpenMetrics renames the counters that other pages need under their whole names.
  for (const metric of registry.getMetricsAsArray()) page.registerMetric(Object.create(metric));
  return { contentType: page.contentType, text: await page.metrics() };
}

type MetricsRegistry = Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>;

function openRegistry(): MetricsRegistry {
  const registry: MetricsRegistry = new Registry();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  return registry;
}

/** Creates metrics in a registry of their own, so that several instances in one process (tests) do not share them. */
export function createMetrics() {
  const registry = openRegistry(); // prom-client allows exemplars in no other registry
  const registers = [registry];
  const seen = new Map<string, Set<string>>();
  return {
    registry,
    counter: <Label extends LabelName>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends LabelName>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <Label extends LabelName>(
      name: string,
      help: string,
      buckets: number[],
      ...labelNames: Label[]
    ) => new Histogram({ name, help, buckets, labelNames, registers }),
    /** Adds a histogram whose buckets name the trace of their last value, which only OpenMetrics pages show. */
    tracedHistogram<Label extends LabelName>(
      name: string,
      help: string,
      buckets: number[],
      ...labelNames: Label[]
    ) {
      const made = new Histogram<LabelName | 'trace_id'>({
        ...{ name, help, buckets, labelNames, registers },
        enableExemplars: true,
      });
      return {
        /** @param traceId id of the trace; `null` if the work is not traced */
        observe: (labels: Record<Label, string>, value: number, traceId: string | null) =>
          made.observe({ labels, value, ...(traceId !== null && { exemplarLabels: { trace_id: traceId } }) }),
      };
    },
    /** Adds a gauge. `read` returns its values at each scrape. */
    readGauge(
      name: string,
      help: string,
      read: () => GaugeValue | Promise<GaugeValue>,
      ...labelNames: LabelName[]
    ): void {
      const collect = async () => {
        const now = await read();
        gauge.reset();
        for (const { labels, value } of typeof now === 'number' ? [{ labels: {}, value: now }] : now)
          gauge.set(labels, value);
      };
      const gauge = new Gauge({ name, help, labelNames, registers, collect });
    },
    /** Adds a counter. `read` returns its total at each scrape. */
    readCounter(name: string, help: string, read: () => number): void {
      const collect = () => {
        counter.reset();
        counter.inc(read());
      };
      const counter = new Counter({ name, help, registers, collect });
    },
    /** Returns the value, or `other` if the label has too many values, because each time series costs memory. */
    bounded(label: LabelName | 'operation', value: string): string {
      const values = seen.get(label) ?? new Set();
      seen.set(label, values);
      const short = value.slice(0, MAX_LABEL_LENGTH);
      if (values.size >= MAX_LABEL_VALUES && !values.has(short)) return 'other';
      values.add(short);
      return short;
    },
  };
}
