import type { Delivery } from './delivery.ts';
import { unreadable } from './errors.ts';

/**
 * A value of a sender's JSON with its path. Senders change: what is optional reads as null when it is missing or of
 * another kind, and only what an alert cannot be without is required.
 */
export interface Reader {
  readonly path: string;
  readonly value: unknown;
  readonly exists: boolean;
  at(...keys: (string | number)[]): Reader;
  /** Text, or a number or boolean as text; null when it is empty or none of these. */
  text(): string | null;
  /** @throws DeliveryRefusedError when there is no text */
  requireText(): string;
  /** Its items; empty when it is no list. */
  list(): Reader[];
  /** @throws DeliveryRefusedError when it is no list */
  requireList(): Reader[];
  /** @throws DeliveryRefusedError when it is no mapping */
  requireObject(): Reader;
  /** Name and text of each entry; what is structured is told as JSON, and null is left out. */
  entries(): [string, string][];
  /** ISO 8601, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970; null when it is no moment after 1970. */
  moment(): Date | null;
}

export function readerOf(value: unknown, path = '$'): Reader {
  const fail = (expected: string) => unreadable(path, `${expected}, got ${kindOf(value)}`);
  return {
    path,
    value,
    exists: value !== undefined && value !== null,
    at(...keys) {
      const [key, ...rest] = keys;
      if (key === undefined) return this;
      return readerOf(childOf(value, key), pathOf(path, key)).at(...rest);
    },
    text: () => textOf(value),
    requireText() {
      const text = textOf(value);
      if (text === null) throw value === undefined ? unreadable(path, 'is required') : fail('expected text');
      return text;
    },
    list: () => (Array.isArray(value) ? value.map((item, index) => readerOf(item, `${path}[${index}]`)) : []),
    requireList() {
      if (!Array.isArray(value))
        throw value === undefined ? unreadable(path, 'is required') : fail('expected a list');
      return this.list();
    },
    requireObject() {
      if (!isObject(value))
        throw value === undefined ? unreadable(path, 'is required') : fail('expected a mapping');
      return this;
    },
    entries: () =>
      isObject(value)
        ? Object.entries(value).flatMap(([name, child]): [string, string][] => {
            const text = child === '' ? '' : (textOf(child) ?? jsonOf(child));
            return text === null ? [] : [[name, text]];
          })
        : [],
    moment: () => momentOf(value),
  };
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
