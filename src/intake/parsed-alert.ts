import type { AlertState, Severity } from '../db/enums.ts';
import { titleOf } from '../engine/alert/headline.ts';
import type { IncomingAlert, ParsedDelivery } from './delivery.ts';
import { DeliveryRefusedError } from './errors.ts';
import { keyOf } from './keys.ts';
import { boundedMap, cut, webAddress } from './text-limits.ts';
import { ANNOTATION_MAX_LENGTH, DELIVERY_MAX_ALERTS, KEY_MAX_LENGTH, LABEL_MAX_LENGTH } from './tunables.ts';

type Part = string | null;

/** What a source's parser found of one alert, unbounded as it came. */
export interface AlertDraft {
  /** Parts of its key. */
  fingerprint: readonly Part[];
  /** Parts of the key of what the source itself groups; default: none. One list for many alerts is hashed once. */
  group?: readonly Part[] | null;
  episode?: string | null;
  title: string | null;
  severity: Severity;
  state: AlertState;
  labels: readonly (readonly [string, string | null])[];
  annotations?: readonly (readonly [string, string | null])[];
  startsAt?: Date | null;
  endsAt?: Date | null;
  url?: string | null;
}

/** Alerts of a delivery within the limits of what is kept, and what they cost. @throws DeliveryRefusedError when they are too many */
export function delivered(
  drafts: readonly AlertDraft[],
  rest: { deliveryKey?: string | null; notes?: readonly string[] } = {},
): ParsedDelivery {
  if (drafts.length > DELIVERY_MAX_ALERTS) {
    throw new DeliveryRefusedError(
      'DELIVERY_TOO_LARGE',
      `The delivery has ${drafts.length} alerts, at most ${DELIVERY_MAX_ALERTS} are taken. Let the sender group them smaller.`,
    );
  }
  const notes = new Set(rest.notes ?? []);
  const groupKeys = new Map(
    [...new Set(drafts.map(({ group }) => group))].map((group) => [group, group ? keyOf(...group) : null]),
  );
  const alerts = drafts.map((draft) => ({
    ...bounded(draft, (note) => notes.add(note)),
    groupKey: groupKeys.get(draft.group) ?? null,
  }));
  return {
    alerts,
    ignored: alerts.length === 0 ? 'The delivery holds no alert.' : null,
    deliveryKey: rest.deliveryKey == null ? null : keyOf(rest.deliveryKey),
    notes: [...notes].slice(0, MAX_NOTES),
  };
}

const MAX_NOTES = 20;

function bounded(draft: AlertDraft, note: (text: string) => void): Omit<IncomingAlert, 'groupKey'> {
  const labels = boundedMap(present(draft.labels), 'labels', LABEL_MAX_LENGTH);
  const annotations = boundedMap(present(draft.annotations ?? []), 'annotations', ANNOTATION_MAX_LENGTH);
  for (const text of [...labels.notes, ...annotations.notes]) note(text);
  return {
    fingerprint: keyOf(...draft.fingerprint),
    episode: draft.episode == null ? null : cut(draft.episode, KEY_MAX_LENGTH),
    title: titleOf(draft.title ?? '') || 'Alert without a title',
    severity: draft.severity,
    state: draft.state,
    labels: labels.map,
    annotations: annotations.map,
    startsAt: draft.startsAt ?? null,
    endsAt: draft.state === 'FIRING' ? null : (draft.endsAt ?? null),
    url: webAddress(draft.url ?? null),
  };
}

function present(entries: readonly (readonly [string, string | null])[]): [string, string][] {
  return entries.flatMap(([name, value]): [string, string][] =>
    value === null || name === '' ? [] : [[name, value]],
  );
}
