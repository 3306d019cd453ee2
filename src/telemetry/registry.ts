import { Registry } from 'prom-client';

/** Maximum distinct values of a label; later ones count as `other`. Needed because MCP servers choose tool names. */
const MAX_LABEL_VALUES = 300;

/** Maximum characters of a label's value. */
const MAX_LABEL_LENGTH = 80;

/** Creates a registry of its own, so that several in one process (tests) share no metrics. */
export function createRegistry() {
  const registry = new Registry();
  const seen = new Map<string, Set<string>>();
  return {
    registry,
    /** Returns the value, or `other` if the label has too many, because each time series costs memory. */
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
