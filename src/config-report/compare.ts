import type { DescribedValue } from '../config/types.ts';

/** What values are to be compared: by path; null = hidden, so that it is only known that it is set. */
export type Comparable = Readonly<Record<string, unknown>>;

/** A value that is not the same here and there. */
export interface Difference {
  readonly path: string;
  /** Null = not set; `***` = set, and hidden. */
  readonly here: unknown;
  readonly there: unknown;
}

const HIDDEN = '***';

export function comparable(values: readonly DescribedValue[]): Comparable {
  return Object.fromEntries(values.map(({ path, value }) => [path, value]));
}

/** In the order of here, then of what is only there. Two secrets count as the same: nothing is known of them. */
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
