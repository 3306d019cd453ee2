import { severityOf } from '../../engine/alert/severity.ts';
import type { Delivery, ParseDelivery } from '../delivery.ts';
import { decoded, jsonOfDelivery, type Reader, readerOf } from '../json-reader.ts';
import { delivered } from '../parsed-alert.ts';
import { tagsOf } from './tags.ts';
import { draftOf, ownKeys } from './template-keys.ts';

/** Datadog monitors, with the template of docs/intake.md: the body is the user's, and all values in it are text. */
export const datadog: ParseDelivery = (delivery) => {
  const body = bodyOf(delivery);
  const draft = draftOf(ownKeys(body), text);
  const transition = text(body.at('state')) ?? '';
  const monitor = text(body.at('monitor'));
  const scope = text(body.at('scope'));
  const type = severityOf(text(body.at('type')));
  // A repeated notice has the time of the notice, not of the beginning.
  const isRepeated = /^(?:re-|renotify)/i.test(transition);
  return delivered([
    {
      ...draft,
      ...(monitor === null
        ? {}
        : { fingerprint: [monitor, scope], group: draft.group ?? ['monitor', monitor] }),
      severity: draft.severity === 'UNKNOWN' ? type : draft.severity,
      labels: [
        ...draft.labels,
        ...tagsOf(readerOf(text(body.at('tags')))),
        ['monitor', monitor],
        ['scope', scope],
        ['no_data', /no data/i.test(transition) ? 'true' : null],
      ],
      startsAt: isRepeated ? null : (draft.startsAt ?? null),
    },
  ]);
};

function bodyOf(delivery: Delivery): Reader {
  const type = delivery.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded/i.test(type)) return jsonOfDelivery(delivery).requireObject();
  return readerOf(Object.fromEntries(new URLSearchParams(decoded(delivery.body))));
}

/** A variable that Datadog does not know arrives as it was written: absent. */
function text(reader: Reader): string | null {
  const value = reader.text();
  return value === null || /^\$[A-Z][A-Z0-9_]*$/.test(value.trim()) ? null : value;
}
