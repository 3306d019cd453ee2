import { z } from 'zod';

/** Entries of a section by name. */
export type Named<T> = Readonly<Record<string, T>>;

/** Branded number: milliseconds converted from a duration in the configuration files, such as `10m`. */
export type Milliseconds = number & { readonly '': 'ms' };

const DURATIONS = new WeakSet<object>();

export function markDuration<S extends z.ZodType<number>>(schema: S) {
  DURATIONS.add(schema);
  return schema as unknown as z.ZodType<Milliseconds, z.input<S>>;
}

/** A file's mapping in the program: camel case, durations in `…Ms`, `null` for optional keys that are not set. */
export type Settings<Written> = {
  readonly [Key in keyof Written & string as Name<Key, Written[Key]>]-?: Value<Written[Key]>;
};

type Name<Key extends string, Written> =
  NonNullable<Written> extends Milliseconds ? `${Camel<Key>}Ms` : Camel<Key>;
type Camel<Key extends string> = Key extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<Camel<Rest>>}`
  : Key;
type Value<Written> = Written extends undefined
  ? null
  : Written extends Milliseconds
    ? number
    : Written extends readonly (infer Item)[]
      ? readonly Item[]
      : Written extends Record<string, infer Entry>
        ? string extends keyof Written
          ? Named<Entry>
          : Readonly<Written>
        : Written;

/** Check of one key. `problem` returns what is wrong, or `null`; other keys of `written` may be missing or invalid. */
type Rule<T> = readonly [key: keyof T & string, problem: (written: Partial<T>) => string | null];

/**
 * Returns a schema that converts a file's mapping to `Settings`. Rules run even if the mapping has other problems, so
 * that all problems are reported at once.
 */
export function settings<S extends z.ZodObject>(mapping: S, ...rules: readonly Rule<z.output<S>>[]) {
  const names = Object.entries(mapping.shape).map(([key, schema]) => [key, nameOf(key, schema)] as const);
  const checked = rules.reduce(
    (schema, [key, problem]) =>
      schema.refine((value) => problem(value) === null, {
        path: [key],
        when: ({ value }) => typeof value === 'object' && value !== null,
        error: ({ input }) => problem(input as Partial<z.output<S>>) ?? '',
      }),
    mapping,
  );
  return checked.transform(
    (written) =>
      Object.fromEntries(names.map(([key, name]) => [name, written[key] ?? null])) as Settings<z.output<S>>,
  );
}

/** Returns a `settings` schema that refuses all keys but `keys`. */
export function mapping<Keys extends z.core.$ZodLooseShape>(keys: Keys) {
  return settings(z.strictObject(keys));
}

function nameOf(key: string, schema: z.core.$ZodType): string {
  const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return holdsDuration(schema) ? `${name}Ms` : name;
}

/** True for a duration schema, also if it is wrapped by a default or made optional. */
function holdsDuration(schema: z.core.$ZodType): boolean {
  const { def } = schema._zod;
  return DURATIONS.has(schema) || ('innerType' in def && holdsDuration(def.innerType as z.core.$ZodType));
}
