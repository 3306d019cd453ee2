/** Content of the API's JSON field `configuration`, described in docs/reference/api.md. */
export interface Configuration {
  readonly process: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly warnings: readonly string[];
  readonly values: readonly ConfigurationValue[];
  readonly environment: readonly {
    readonly name: string;
    readonly value: string | null;
    readonly hidden: boolean;
  }[];
  readonly onDisk: { readonly problems: readonly string[]; readonly differences: readonly Difference[] };
  readonly workers: readonly {
    readonly process: string;
    readonly version: string;
    readonly startedAt: string;
    readonly differences: readonly Difference[];
  }[];
}

export interface ConfigurationValue {
  readonly path: string;
  readonly value: unknown;
  readonly hidden: boolean;
  readonly from: 'BUILT_IN' | 'FILE' | 'ENVIRONMENT';
  readonly file: string | null;
  readonly line: number | null;
  readonly variables: readonly string[];
}

export interface Difference {
  readonly path: string;
  readonly here: unknown;
  readonly there: unknown;
}

/** Returns the values whose path, value or origin contains `search`; built-in values only if `builtIn` is true. */
export function filterValues(
  values: readonly ConfigurationValue[],
  { search, builtIn }: { search: string; builtIn: boolean },
): ConfigurationValue[] {
  const wanted = search.trim().toLowerCase();
  return values.filter(
    (one) =>
      (builtIn || one.from !== 'BUILT_IN') &&
      [one.path, textOf(one), originOf(one)].some((text) => text.toLowerCase().includes(wanted)),
  );
}

/** Groups values by configuration section, which is the first name of their path. */
export function groupBySection(values: readonly ConfigurationValue[]): [string, ConfigurationValue[]][] {
  return [...Map.groupBy(values, ({ path }) => /^[^.[]*/.exec(path)![0])];
}

export function textOf({ value, hidden }: Pick<ConfigurationValue, 'value' | 'hidden'>): string {
  return hidden ? 'hidden' : formatValue(value);
}

export function formatValue(value: unknown): string {
  if (value === null) return 'not set';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ');
  return value === '' ? 'empty' : String(value);
}

/** Describes a value's origin, such as `config/tarsy.yaml:12 with MY_VARIABLE`. */
export function originOf({ from, file, line, variables }: ConfigurationValue): string {
  const names = variables.join(', ');
  if (from === 'BUILT_IN') return 'built in';
  if (from === 'ENVIRONMENT') return names;
  return names === '' ? `${file}:${line}` : `${file}:${line} with ${names}`;
}
