import type { z } from 'zod';
import type { Named } from '../named.ts';

/** Milliseconds that were written as a duration. */
export type Milliseconds = number & { readonly '': 'ms' };

const DURATIONS = new WeakSet<object>();

/** Tells `settings` that the values of a schema are milliseconds. */
export function markDuration<S extends z.ZodType<number>>(schema: S) {
  DURATIONS.add(schema);
  return schema as unknown as z.ZodType<Milliseconds, z.input<S>>;
}

/**
 * What the keys of a mapping in the files are in the program: in camel case, a duration as milliseconds under a name that
 * ends in `Ms`, and null where nothing is written.
 */
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

/** A mapping as the program knows it. */
export function settings<S extends z.ZodObject>(mapping: S) {
  const names = Object.entries(mapping.shape).map(([key, schema]) => [key, nameOf(key, schema)] as const);
  return mapping.transform(
    (written) =>
      Object.fromEntries(names.map(([key, name]) => [name, written[key] ?? null])) as Settings<z.output<S>>,
  );
}

function nameOf(key: string, schema: z.core.$ZodType): string {
  const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return holdsDuration(schema) ? `${name}Ms` : name;
}

/** Whether a value is a duration, one with a default or one that may be missing. */
function holdsDuration(schema: z.core.$ZodType): boolean {
  const { def } = schema._zod;
  return DURATIONS.has(schema) || ('innerType' in def && holdsDuration(def.innerType as z.core.$ZodType));
}
