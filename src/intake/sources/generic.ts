import { type FieldPath, parseFieldPath } from '../../config/field-path.ts';
import type { GenericMapping } from '../../config/types.ts';
import type { ParseDelivery } from '../delivery.ts';
import { type JsonReader, readJson } from '../json-reader.ts';
import { type ParsedAlert, toDelivery } from '../parsed-alert.ts';
import { parsedAlertOf, type TemplateKeys, templateKeys } from './template-keys.ts';

/** Parses any JSON, with the template keys or a configured mapping. */
export const generic: ParseDelivery = (delivery, { mapping }) => {
  const body = readJson(delivery);
  const isList = Array.isArray(body.value);
  const found = mapping?.alerts ? allAt(body, mapping.alerts) : isList ? body.list() : [body];
  return toDelivery(found.map((alert) => mapAlert(alert.requireObject(), mapping)));
};

function mapAlert(alert: JsonReader, mapping: GenericMapping | null): ParsedAlert {
  if (mapping === null) return parsedAlertOf(templateKeys(alert));
  const keys = mappedKeys(alert, mapping);
  const parsed = parsedAlertOf(keys);
  const word = keys.state.text()?.toLowerCase();
  const resolved = mapping.resolvedValues?.map((value) => value.toLowerCase());
  return {
    ...parsed,
    ...(resolved && word !== undefined && { state: resolved.includes(word) ? 'RESOLVED' : 'FIRING' }),
    labels: [...parsed.labels, ...named(alert, mapping.labels)],
    annotations: [...(parsed.annotations ?? []), ...named(alert, mapping.annotations)],
  };
}

function mappedKeys(alert: JsonReader, mapping: GenericMapping): TemplateKeys {
  const { alerts: _, resolvedValues: __, startsAt, endsAt, ...rest } = mapping;
  const written = Object.entries({ ...rest, starts_at: startsAt, ends_at: endsAt });
  const mapped = written.flatMap(([name, path]) =>
    typeof path === 'string' ? [[name, at(alert, path)]] : [],
  );
  return { ...templateKeys(alert), ...(Object.fromEntries(mapped) as Partial<TemplateKeys>) };
}

function named(alert: JsonReader, paths: GenericMapping['labels']): [string, string | null][] {
  if (typeof paths !== 'object' || paths === null) return [];
  return Object.entries(paths).map(([name, path]) => [name, at(alert, path).text()]);
}

function at(alert: JsonReader, path: string): JsonReader {
  return alert.at(...stepsOf(path).filter((step) => step !== '*'));
}

/** Returns every value that a path with `[*]` reaches. */
function allAt(body: JsonReader, path: string): JsonReader[] {
  let found = [body];
  for (const step of stepsOf(path))
    found = found.flatMap((reader) => (step === '*' ? reader.requireList() : [reader.at(step)]));
  return found;
}

function stepsOf(path: string): FieldPath {
  return parseFieldPath(path) ?? [];
}
