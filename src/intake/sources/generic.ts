import { type MappedText, parseFieldPath, parseMappedText } from '../../config/field-path.ts';
import type { GenericMapping } from '../../config/types.ts';
import type { Severity } from '../../db/enums.ts';
import { severityOf } from '../../engine/alert/severity.ts';
import type { ParseDelivery } from '../delivery.ts';
import { type JsonReader, jsonReader, type TextPair } from '../json-reader.ts';
import { type ParsedAlert, readEach, toDelivery } from '../parsed-alert.ts';
import { matches, stateOf } from './alert-state.ts';
import { readBody } from './read-body.ts';
import { parsedAlertOf } from './template-keys.ts';

/** A mapping. A key that is not set is read from the template key of the same name. */
export type Mapping = Partial<GenericMapping>;

/**
 * A mapping of one form that a sender's bodies have. A sender with several forms has several mappings. The first one
 * applies whose `when` leads to a value; a mapping without `when` always applies.
 */
export interface PresetMapping extends Mapping {
  readonly when?: string;
}

/** Parses any JSON, form or text by a configured mapping, or by the keys of template-keys.ts. */
export const generic: ParseDelivery = (delivery, { mapping }) => {
  const body = readBody(delivery);
  const { all, leftOut } = readEach(alertsIn(body, mapping), (alert) => mapAlert(alert, mapping));
  return toDelivery(
    all.filter((alert) => alert !== null),
    { leftOut },
  );
};

/** Returns the alerts of a body: those at the mapped path, the items of a list, or the body itself. */
export function alertsIn(body: JsonReader, mapping: Mapping | null): JsonReader[] {
  if (mapping?.alerts) return allAt(body, mapping.alerts);
  return Array.isArray(body.value) ? body.list() : [body];
}

/** Returns an alert as a mapping reads it; `null` if its state is one of the ignored values. */
export function mapAlert(alert: JsonReader, mapping: Mapping | null): ParsedAlert | null {
  alert.requireObject();
  if (mapping === null) return parsedAlertOf({ whole: alert });
  const written: Readonly<Record<string, unknown>> = {
    ...mapping,
    starts_at: mapping.startsAt,
    ends_at: mapping.endsAt,
    reported_at: mapping.reportedAt,
  };
  const mapped = (key: string) => textsOf(written[key]);
  const at = (key: string) => {
    if (key === 'labels' || key === 'annotations') return mapAt(alert, key, mapping[key] ?? null);
    const texts = mapped(key);
    return texts.length > 0 ? jsonReader(firstText(alert, texts)) : alert.at(key);
  };
  const state = at('state').text();
  const over = mapping.resolvedValues ?? null;
  const isIgnored = state !== null && mapping.ignoredValues?.some((value) => matches(value, state));
  if (isIgnored && stateOf(state, over) === 'FIRING') return null;
  const parsed = parsedAlertOf({
    ...{ whole: alert, at, used: usedPaths(mapped, mapping), over },
    ...(mapping.labels && { labels: named(alert, mapping.labels) }),
    ...(mapping.annotations && { annotations: named(alert, mapping.annotations) }),
  });
  const reportedAt = mapping.reportedAt ? at('reported_at').date() : (parsed.reportedAt ?? null);
  return {
    ...parsed,
    reportedAt,
    severity: ownSeverity(at('severity').text(), mapping) ?? parsed.severity,
    objectId: firstText(alert, mapped('object')),
  };
}

/**
 * Keys whose mapped values do not become labels. Values that are mapped to other keys stay labels of the alert, too.
 */
const EXPLAINING = 'title severity state episode url starts_at ends_at reported_at'.split(' ');

function usedPaths(mapped: (key: string) => readonly string[], mapping: Mapping): Set<string> {
  const paths = EXPLAINING.flatMap((key) => {
    const texts = mapped(key);
    return texts.length > 0 ? texts.filter((text) => text.startsWith('$')) : [`$.${key}`];
  });
  const maps = [mapping.labels, mapping.annotations].filter((value) => typeof value === 'string');
  return new Set([...paths, ...maps].map((path) => stepsOf(path).join('.')));
}

function ownSeverity(word: string | null, { severities }: Mapping): Severity | null {
  const found = Object.entries(severities ?? {}).find(([own]) => word !== null && matches(own, word));
  return found ? severityOf(found[1]) : null;
}

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((text): text is string => typeof text === 'string');

function named(alert: JsonReader, paths: NonNullable<Mapping['labels']>): TextPair[] {
  if (typeof paths === 'string') return [];
  return Object.entries(paths).map(([name, written]) => [name, firstText(alert, textsOf(written))]);
}

/** Returns the first of several mapped texts that the alert has; `null` if it has none. */
function firstText(alert: JsonReader, written: readonly string[]): string | null {
  for (const each of written) {
    const text = textAt(alert, parseMappedText(each));
    if (text !== null) return text;
  }
  return null;
}

/** Returns a mapped text; `null` if a path in it leads to nothing. */
function textAt(alert: JsonReader, mapped: MappedText | null): string | null {
  if (mapped === null) return null;
  if ('path' in mapped) return valueText(alert.at(...mapped.path));
  const texts = mapped.parts.map((part) => (typeof part === 'string' ? part : valueText(alert.at(...part))));
  return texts.includes(null) ? null : texts.join('');
}

const valueText = (reader: JsonReader) => reader.text() ?? reader.joined();

/** Returns the mapping at a path, or at the template key if no path is configured. */
function mapAt(alert: JsonReader, key: string, paths: Mapping['labels'] | null): JsonReader {
  if (paths == null) return alert.at(key);
  return typeof paths === 'string' ? alert.at(...stepsOf(paths)) : jsonReader(null);
}

/** Returns every value at a path; `[*]` in the path means each item of a list. */
function allAt(body: JsonReader, path: string): JsonReader[] {
  let found = [body];
  for (const step of stepsOf(path))
    found = found.flatMap((reader) => (step === '*' ? reader.requireList() : [reader.at(step)]));
  return found;
}

const stepsOf = (path: string) => parseFieldPath(path) ?? [];
