import { type FieldPath, parseFieldPath } from '../../config/field-path.ts';
import type { GenericMapping } from '../../config/types.ts';
import type { ParseDelivery } from '../delivery.ts';
import { jsonOfDelivery, type Reader } from '../json-reader.ts';
import { type AlertDraft, delivered } from '../parsed-alert.ts';
import { draftOf, type OwnKeys, ownKeys } from './template-keys.ts';

/** Any JSON: in the keys of our own templates, or mapped to them by the configuration. */
export const generic: ParseDelivery = (delivery, { mapping }) => {
  const body = jsonOfDelivery(delivery);
  const isList = Array.isArray(body.value);
  const found = mapping?.alerts ? allAt(body, mapping.alerts) : isList ? body.list() : [body];
  return delivered(found.map((alert) => draftOfAlert(alert.requireObject(), mapping)));
};

function draftOfAlert(alert: Reader, mapping: GenericMapping | null): AlertDraft {
  if (mapping === null) return draftOf(ownKeys(alert));
  const keys = mappedKeys(alert, mapping);
  const draft = draftOf(keys);
  const word = keys.state.text()?.toLowerCase();
  const resolved = mapping.resolvedValues?.map((value) => value.toLowerCase());
  return {
    ...draft,
    ...(resolved && word !== undefined && { state: resolved.includes(word) ? 'RESOLVED' : 'FIRING' }),
    labels: [...draft.labels, ...named(alert, mapping.labels)],
    annotations: [...(draft.annotations ?? []), ...named(alert, mapping.annotations)],
  };
}

function mappedKeys(alert: Reader, mapping: GenericMapping): OwnKeys {
  const { alerts: _, resolvedValues: __, startsAt, endsAt, ...rest } = mapping;
  const written = Object.entries({ ...rest, starts_at: startsAt, ends_at: endsAt });
  const mapped = written.flatMap(([name, path]) =>
    typeof path === 'string' ? [[name, at(alert, path)]] : [],
  );
  return { ...ownKeys(alert), ...(Object.fromEntries(mapped) as Partial<OwnKeys>) };
}

function named(alert: Reader, paths: GenericMapping['labels']): [string, string | null][] {
  if (typeof paths !== 'object' || paths === null) return [];
  return Object.entries(paths).map(([name, path]) => [name, at(alert, path).text()]);
}

function at(alert: Reader, path: string): Reader {
  return alert.at(...stepsOf(path).filter((step) => step !== '*'));
}

/** Every value that a path with `[*]` in it leads to. */
function allAt(body: Reader, path: string): Reader[] {
  let found = [body];
  for (const step of stepsOf(path))
    found = found.flatMap((reader) => (step === '*' ? reader.requireList() : [reader.at(step)]));
  return found;
}

/** The configuration was checked when it was read. */
function stepsOf(path: string): FieldPath {
  return parseFieldPath(path) ?? [];
}
