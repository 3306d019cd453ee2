import { parseFieldPath } from '../../config/field-path.ts';
import type { GenericMapping } from '../../config/types.ts';
import type { ParseDelivery } from '../delivery.ts';
import { type JsonReader, readJson, type TextPair } from '../json-reader.ts';
import { type ParsedAlert, toDelivery } from '../parsed-alert.ts';
import { parsedAlertOf } from './template-keys.ts';

/** Parses any JSON by a configured mapping, or by the keys of template-keys.ts. */
export const generic: ParseDelivery = (delivery, { mapping }) => {
  const body = readJson(delivery);
  const isList = Array.isArray(body.value);
  const found = mapping?.alerts ? allAt(body, mapping.alerts) : isList ? body.list() : [body];
  return toDelivery(found.map((alert) => mapAlert(alert.requireObject(), mapping)));
};

function mapAlert(alert: JsonReader, mapping: GenericMapping | null): ParsedAlert {
  if (mapping === null) return parsedAlertOf((key) => alert.at(key));
  const paths: Readonly<Record<string, unknown>> = {
    ...mapping,
    starts_at: mapping.startsAt,
    ends_at: mapping.endsAt,
  };
  const read = (key: string) => {
    const path = paths[key];
    return typeof path === 'string' ? at(alert, path) : alert.at(key);
  };
  const parsed = parsedAlertOf(read);
  const word = read('state').text()?.toLowerCase();
  const resolved = mapping.resolvedValues?.map((value) => value.toLowerCase());
  return {
    ...parsed,
    ...(resolved && word !== undefined && { state: resolved.includes(word) ? 'RESOLVED' : 'FIRING' }),
    labels: [...parsed.labels, ...named(alert, mapping.labels)],
    annotations: [...(parsed.annotations ?? []), ...named(alert, mapping.annotations)],
  };
}

function named(alert: JsonReader, paths: GenericMapping['labels']): TextPair[] {
  if (typeof paths !== 'object' || paths === null) return [];
  return Object.entries(paths).map(([name, path]) => [name, at(alert, path).text()]);
}

function at(alert: JsonReader, path: string): JsonReader {
  return alert.at(...stepsOf(path).filter((step) => step !== '*'));
}

/** Returns every value at a path; `[*]` in the path means each item of a list. */
function allAt(body: JsonReader, path: string): JsonReader[] {
  let found = [body];
  for (const step of stepsOf(path))
    found = found.flatMap((reader) => (step === '*' ? reader.requireList() : [reader.at(step)]));
  return found;
}

const stepsOf = (path: string) => parseFieldPath(path) ?? [];
