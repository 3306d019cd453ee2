import type { Delivery } from './delivery.ts';
import { type DeliveryRefusedError, unreadable } from './errors.ts';

/** A name and its text; the text is `null` if the sender omits it. */
export type TextPair = readonly [name: string, text: string | null];

/** Reads a value of a sender's JSON. An unexpected type reads as absent, because senders change their formats. */
export class JsonReader {
  readonly value: unknown;
  readonly #of: JsonReader | string;
  readonly #key: string | number;

  /** @param of the reader of the parent, in which `key` leads to this value; or this value's full path */
  constructor(value: unknown, of: JsonReader | string, key: string | number = '') {
    this.value = value;
    this.#of = of;
    this.#key = key;
  }

  /** The path from the root, such as `$.alerts[3]`; computed on demand, because only errors need it. */
  get path(): string {
    return typeof this.#of === 'string' ? this.#of : pathOf(this.#of.path, this.#key);
  }

  get exists(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  at(...keys: (string | number)[]): JsonReader {
    let reader: JsonReader = this;
    for (const key of keys) reader = new JsonReader(childOf(reader.value, key), reader, key);
    return reader;
  }

  /** Returns text, numbers and booleans as text; `null` for blank text and all other values. */
  text(): string | null {
    return textOf(this.value);
  }

  requireText(): string {
    const text = this.text();
    if (text === null) throw this.#isNot('text');
    return text;
  }

  /** Returns the items of a list; empty for any other value. */
  list(): JsonReader[] {
    return Array.isArray(this.value)
      ? this.value.map((item, index) => new JsonReader(item, this, index))
      : [];
  }

  /** Returns the text of each item of a list; leaves out items without text. */
  texts(): string[] {
    return this.list().flatMap((item) => item.text() ?? []);
  }

  /** Returns the texts of a list, joined by commas; `null` if there are none. */
  joined(): string | null {
    return this.texts().join(', ') || null;
  }

  requireList(): JsonReader[] {
    if (!Array.isArray(this.value)) throw this.#isNot('a list');
    return this.list();
  }

  requireObject(): JsonReader {
    if (!isObject(this.value)) throw this.#isNot('a mapping');
    return this;
  }

  /** Returns the name and text of each of these members. */
  pairs(...names: readonly string[]): TextPair[] {
    return names.map((name) => [name, this.at(name).text()]);
  }

  /** Returns the name and text of each entry. Lists and mappings become JSON text; `null` values are left out. */
  entries(): [string, string][] {
    if (!isObject(this.value)) return [];
    return Object.entries(this.value).flatMap(([name, child]): [string, string][] => {
      const text = child === '' ? '' : (textOf(child) ?? jsonOf(child));
      return text === null ? [] : [[name, text]];
    });
  }

  /** Returns the time of an ISO 8601 text or a number of s, ms, µs or ns since 1970; `null` for anything else. */
  date(): Date | null {
    return dateOf(this.value);
  }

  #isNot(expected: string): DeliveryRefusedError {
    return unreadable(
      this.path,
      this.value === undefined ? 'is required' : `expected ${expected}, got ${kindOf(this.value)}`,
    );
  }
}

export function jsonReader(value: unknown, path = '$'): JsonReader {
  return new JsonReader(value, path);
}

export function readJson({ body }: Delivery): JsonReader {
  return jsonReader(parseJson(decodeUtf8(body)));
}

export function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw unreadable('$', 'is not UTF-8 text');
  }
}

/** Parses a JSON text. Integers that a `number` would round become `bigint`, because ids of senders have as many digits. */
export function parseJson(text: string, path = '$'): unknown {
  try {
    return LONG_NUMBER.test(text) ? parseWithDigits(text) : JSON.parse(text);
  } catch {
    throw unreadable(path, text.trim() === '' ? 'the delivery is empty' : 'is not JSON');
  }
}

/** Digits of the shortest integers that a `number` rounds. */
const LONG_NUMBER = /\d{16}/;
/** Integers that are kept as written; longer ones are no ids, and expensive to convert. */
const KEPT = /^-?\d{16,40}$/;

function parseWithDigits(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown, { source = '' }: { source?: string } = {}) =>
      typeof value === 'number' && !Number.isSafeInteger(value) && KEPT.test(source) ? BigInt(source) : value,
    );
  } catch (error) {
    if (error instanceof RangeError) return JSON.parse(text); // nested deeper than a call stack; digits are rounded
    throw error;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function childOf(value: unknown, key: string | number): unknown {
  if (typeof key === 'number') return Array.isArray(value) ? value[key] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function pathOf(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return /^[A-Za-z_][\w-]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  const isPlain = typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value);
  return isPlain ? String(value) : null;
}

function jsonOf(value: unknown): string | null {
  return value === null || value === undefined || value === '' ? null : jsonText(value);
}

/** Missing in the types of the language. */
const RAW = JSON as unknown as { rawJSON(json: string): unknown };

/** Returns a value of JSON as text. */
export function jsonText(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? RAW.rawJSON(`${part}`) : part)) ?? ''
    );
  } catch {
    return '[nested too deeply]';
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value)
    ? 'a list'
    : isObject(value)
      ? 'a mapping'
      : `a ${typeof value === 'bigint' ? 'number' : typeof value}`;
}

const LATEST_MS = Date.UTC(9999, 0);

function dateOf(value: unknown): Date | null {
  const written = textOf(value)?.trim() ?? '';
  const ms = /^\d{1,19}(?:\.\d+)?$/.test(written) ? epochMs(Number(written)) : isoMs(written);
  return ms !== null && ms > 0 && ms < LATEST_MS ? new Date(ms) : null;
}

/** Converts s, ms, µs or ns since 1970 to ms. The size tells the unit: in this century, the ranges do not overlap. */
function epochMs(count: number): number {
  if (count < 1e11) return Math.round(count * 1000);
  if (count < 1e14) return Math.round(count);
  return Math.round(count < 1e17 ? count / 1e3 : count / 1e6);
}

/** Converts ISO 8601 with an offset to ms since 1970; `null` for other text. The offset's colon is optional. */
function isoMs(written: string): number | null {
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|UTC|[+-]\d\d:?\d\d)$/i.exec(
    written,
  );
  if (!parts) return null;
  const [, date, time, zone = ''] = parts;
  const offset = /^(?:z|utc)$/i.test(zone) ? 'Z' : zone.replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2');
  const ms = Date.parse(`${date}T${time!.replace(/(\.\d{3})\d+$/, '$1')}${offset}`);
  return Number.isNaN(ms) ? null : ms;
}
