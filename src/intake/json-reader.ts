import type { Delivery } from './delivery.ts';
import { type DeliveryRefusedError, unreadable } from './errors.ts';

/**
 * A value of a sender's JSON with its path. Senders change: what is optional reads as null when it is missing or of
 * another kind, and only what an alert cannot be without is required.
 */
export class Reader {
  readonly value: unknown;
  readonly #of: Reader | string;
  readonly #key: string | number;

  /** @param of what it is the value `key` of, or its whole path */
  constructor(value: unknown, of: Reader | string, key: string | number = '') {
    this.value = value;
    this.#of = of;
    this.#key = key;
  }

  /** Made when it is asked for: when something is wrong. */
  get path(): string {
    return typeof this.#of === 'string' ? this.#of : pathOf(this.#of.path, this.#key);
  }

  get exists(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  at(...keys: (string | number)[]): Reader {
    let reader: Reader = this;
    for (const key of keys) reader = new Reader(childOf(reader.value, key), reader, key);
    return reader;
  }

  /** Text, or a number or boolean as text; null when it is empty or none of these. */
  text(): string | null {
    return textOf(this.value);
  }

  /** @throws DeliveryRefusedError when there is no text */
  requireText(): string {
    const text = textOf(this.value);
    if (text === null) throw this.#isNot('text');
    return text;
  }

  /** Its items; empty when it is no list. */
  list(): Reader[] {
    return Array.isArray(this.value) ? this.value.map((item, index) => new Reader(item, this, index)) : [];
  }

  /** @throws DeliveryRefusedError when it is no list */
  requireList(): Reader[] {
    if (!Array.isArray(this.value)) throw this.#isNot('a list');
    return this.list();
  }

  /** @throws DeliveryRefusedError when it is no mapping */
  requireObject(): Reader {
    if (!isObject(this.value)) throw this.#isNot('a mapping');
    return this;
  }

  /** Name and text of each entry; what is structured is told as JSON, and null is left out. */
  entries(): [string, string][] {
    if (!isObject(this.value)) return [];
    return Object.entries(this.value).flatMap(([name, child]): [string, string][] => {
      const text = child === '' ? '' : (textOf(child) ?? jsonOf(child));
      return text === null ? [] : [[name, text]];
    });
  }

  /** ISO 8601, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970; null when it is no moment after 1970. */
  moment(): Date | null {
    return momentOf(this.value);
  }

  #isNot(expected: string): DeliveryRefusedError {
    return unreadable(
      this.path,
      this.value === undefined ? 'is required' : `expected ${expected}, got ${kindOf(this.value)}`,
    );
  }
}

/** A value that stands by itself. */
export function readerOf(value: unknown, path = '$'): Reader {
  return new Reader(value, path);
}

/** The JSON of a delivery. @throws DeliveryRefusedError */
export function jsonOfDelivery({ body }: Delivery): Reader {
  return readerOf(parseJson(decoded(body)));
}

/** The text of a delivery. @throws DeliveryRefusedError */
export function decoded(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw unreadable('$', 'is not UTF-8 text');
  }
}

/** @throws DeliveryRefusedError */
export function parseJson(text: string, path = '$'): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(path, text.trim() === '' ? 'the delivery is empty' : 'is not JSON');
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
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
    ? String(value)
    : null;
}

function jsonOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  try {
    return JSON.stringify(value);
  } catch {
    return '[nested too deeply]';
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : isObject(value) ? 'a mapping' : `a ${typeof value}`;
}

/** What lies beyond is no time that anybody means. */
const LATEST_MS = Date.UTC(9999, 0);

function momentOf(value: unknown): Date | null {
  const written = textOf(value)?.trim() ?? '';
  const ms = /^\d{1,19}(?:\.\d+)?$/.test(written) ? epochMs(Number(written)) : isoMs(written);
  return ms !== null && ms > 0 && ms < LATEST_MS ? new Date(ms) : null;
}

/** Seconds, milliseconds, microseconds or nanoseconds: for times of this century their sizes do not overlap. */
function epochMs(count: number): number {
  if (count < 1e11) return Math.round(count * 1000);
  if (count < 1e14) return Math.round(count);
  return Math.round(count < 1e17 ? count / 1e3 : count / 1e6);
}

/** Only ISO 8601, in which offsets may lack their colon and fractions have any number of digits. */
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
