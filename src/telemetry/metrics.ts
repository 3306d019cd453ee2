import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { LabelName } from './labels.ts';

/** Largest number of values of a label, because MCP servers choose tool names. Later values count as `other`. */
const MAX_LABEL_VALUES = 300;
/** Largest length of a label's value (characters). */
const MAX_LABEL_LENGTH = 80;

export type Metrics = ReturnType<typeof createMetrics>;

/** The value of a gauge, or one value for each combination of labels. */
type GaugeValue = number | { labels: Record<string, string>; value: number }[];

/** Creates metrics in a registry of their own, so that several instances in one process (tests) do not share them. */
export function createMetrics() {
  const registry = new Registry();
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
