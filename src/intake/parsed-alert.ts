import type { AlertState, Severity } from '../db/enums.ts';
import { titleOf } from '../engine/alert/headline.ts';
import type { IncomingAlert, ParsedDelivery } from './delivery.ts';
import { DeliveryRefusedError } from './errors.ts';
import type { JsonReader, TextPair } from './json-reader.ts';
import { keyOf } from './keys.ts';
import { isObjectId, limitMap, safeWebAddress, truncate } from './text-limits.ts';
import { ANNOTATION_MAX_LENGTH, DELIVERY_MAX_ALERTS, KEY_MAX_LENGTH, LABEL_MAX_LENGTH } from './tunables.ts';

/** An alert as a source's parser reads it, before texts are limited in length. */
export interface ParsedAlert {
  fingerprint: readonly (string | null)[];
  /**
   * Key parts of the source's own group; none if the alert is its own group. An array that alerts share is hashed once.
   */
  group?: readonly (string | null)[] | null;
  episode?: string | null;
  title: string | null;
  severity: Severity;
  state: AlertState;
  labels: readonly TextPair[];
  annotations?: readonly TextPair[];
  startsAt?: Date | null;
  endsAt?: Date | null;
  reportedAt?: Date | null;
  url?: string | null;
  /** The source's own id of the object that the alert is about, such as an incident. */
  objectId?: string | null;
}

/** Results of reading the alerts of a delivery. */
export interface ReadEach<T> {
  readonly all: T[];
  /** Sentence about those that cannot be read; `null` if there are none. */
  readonly leftOut: string | null;
}

/**
 * Reads each alert of a delivery. Alerts that cannot be read are left out, because they must not hide the others.
 * @throws DeliveryRefusedError if none can be read
 */
export function readEach<T>(items: readonly JsonReader[], read: (item: JsonReader) => T): ReadEach<T> {
  const all: T[] = [];
  const problems: DeliveryRefusedError[] = [];
  for (const item of items)
    try {
      all.push(read(item));
    } catch (error) {
      if (!(error instanceof DeliveryRefusedError)) throw error;
      problems.push(error);
    }
  const [first] = problems;
  if (first === undefined) return { all, leftOut: null };
  if (all.length === 0) throw first;
  const leftOut = `${problems.length} of ${items.length} alerts are left out, because they cannot be read. The first: ${first.message}.`;
  return { all, leftOut };
}

/** Returns a delivery with texts cut to their limits. @throws DeliveryRefusedError if there are too many alerts */
export function toDelivery(
  parsedAlerts: readonly ParsedAlert[],
  rest: Partial<Pick<ParsedDelivery, 'deliveryKey' | 'notes' | 'mayReuseStart' | 'leftOut'>> = {},
): ParsedDelivery {
  if (parsedAlerts.length > DELIVERY_MAX_ALERTS)
    throw new DeliveryRefusedError(
      'DELIVERY_TOO_LARGE',
      `The delivery has ${parsedAlerts.length} alerts; at most ${DELIVERY_MAX_ALERTS} are accepted. Configure the sender to send smaller groups.`,
    );
  const { leftOut = null } = rest;
  const notes = new Set([...(leftOut === null ? [] : [leftOut]), ...(rest.notes ?? [])]);
  const groups = new Set(parsedAlerts.flatMap(({ group }) => (group ? [group] : [])));
  const groupKeys = new Map([...groups].map((group) => [group, keyOf(...group)]));
  const alerts = parsedAlerts.map((parsed) => ({
    ...applyLimits(parsed, (note) => notes.add(note)),
    groupKey: (parsed.group && groupKeys.get(parsed.group)) ?? null,
  }));
  return {
    alerts,
    ignored: alerts.length === 0 ? 'The delivery has no alerts.' : null,
    deliveryKey: rest.deliveryKey == null ? null : keyOf(rest.deliveryKey),
    notes: [...notes].slice(0, MAX_NOTES),
    ...(rest.mayReuseStart && { mayReuseStart: true }),
    ...(leftOut !== null && { leftOut }),
  };
}

const MAX_NOTES = 20;

function applyLimits(parsed: ParsedAlert, note: (text: string) => void): Omit<IncomingAlert, 'groupKey'> {
  const labels = limitMap(present(parsed.labels), 'labels', LABEL_MAX_LENGTH);
  const annotations = limitMap(present(parsed.annotations ?? []), 'annotations', ANNOTATION_MAX_LENGTH);
  for (const text of [...labels.notes, ...annotations.notes]) note(text);
  return {
    fingerprint: keyOf(...parsed.fingerprint),
    episode: parsed.episode == null ? null : truncate(parsed.episode, KEY_MAX_LENGTH),
    title: titleOf(parsed.title ?? '') || 'Alert without a title',
    severity: parsed.severity,
    state: parsed.state,
    labels: labels.map,
    annotations: annotations.map,
    startsAt: parsed.startsAt ?? null,
    endsAt: parsed.state === 'FIRING' ? null : (parsed.endsAt ?? null),
    ...(parsed.reportedAt && { reportedAt: parsed.reportedAt }),
    url: safeWebAddress(parsed.url ?? null),
    ...(parsed.objectId && isObjectId(parsed.objectId) && { objectId: parsed.objectId }),
  };
}

function present(entries: readonly TextPair[]): [string, string][] {
  return entries.flatMap(([name, value]): [string, string][] =>
    value === null || name === '' ? [] : [[name, value]],
  );
}
