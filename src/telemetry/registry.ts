import { Registry } from 'prom-client';

/** Different values of one label of one metric; what comes later is counted as `other`. Names of tools are given by servers. */
const MAX_LABEL_VALUES = 300;

/** Characters of a label's value. */
const MAX_LABEL_LENGTH = 80;

/** Metrics of one process. Several in one process (tests) do not share any. */
export function createRegistry() {
  const registry = new Registry();
  const seen = new Map<string, Set<string>>();
  return {
    registry,
    /** The value, unless there are too many of this label: a time series costs memory here and in Prometheus. */
    bounded(label: string, value: string): string {
      const values = seen.get(label) ?? new Set();
      seen.set(label, values);
      const short = value.slice(0, MAX_LABEL_LENGTH);
      if (values.size >= MAX_LABEL_VALUES && !values.has(short)) return 'other';
      values.add(short);
      return short;
    },
  };
}

export type Bounded = ReturnType<typeof createRegistry>['bounded'];
