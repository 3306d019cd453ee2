import type { DescribedValue } from '../config/types.ts';

/** Configuration values by key path; `null` = set, but hidden because it may hold a secret. */
export type Comparable = Readonly<Record<string, unknown>>;

export interface Difference {
  readonly path: string;
  /** Value of this process; `null` = not set, `***` = set, but hidden. */
  readonly here: unknown;
  readonly there: unknown;
}

const HIDDEN = '***';

export function comparable(values: readonly DescribedValue[]): Comparable {
  return Object.fromEntries(values.map(({ path, value }) => [path, value]));
}

/** Returns the differing values: keys of `here`, then those only in `there`. Two hidden values count as equal. */
export function differences(here: Comparable, there: Comparable): Difference[] {
  const paths = new Set([...Object.keys(here), ...Object.keys(there)]);
  return [...paths].flatMap((path) => {
    const own = valueIn(here, path);
    const other = valueIn(there, path);
    return JSON.stringify(own) === JSON.stringify(other) ? [] : [{ path, here: own, there: other }];
  });
}

function valueIn(values: Comparable, path: string): unknown {
  return Object.hasOwn(values, path) ? (values[path] ?? HIDDEN) : null;
}
