import { severityOf } from '../../engine/alert/severity.ts';
import type { Delivery, ParseDelivery } from '../delivery.ts';
import { decodeUtf8, type JsonReader, jsonReader, readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';
import { splitTag } from './tags.ts';
import { parsedAlertOf, textWithout } from './template-keys.ts';

/** Reads a text; `null` for a variable such as `$HOSTNAME`, because Datadog does not replace unknown variables. */
const text = textWithout(/^\$[A-Z][A-Z0-9_]*$/);

/** Parses notifications of Datadog monitors in the template of docs/intake.md, whose values are all text. */
export const datadog: ParseDelivery = (delivery) => {
  const body = bodyOf(delivery);
  const parsed = parsedAlertOf((key) => body.at(key), text);
  const transition = text(body.at('state')) ?? '';
  const monitor = text(body.at('monitor'));
  const scope = text(body.at('scope'));
  const type = severityOf(text(body.at('type')));
  const tags = (text(body.at('tags')) ?? '').split(',').filter((tag) => tag.trim() !== '');
  // A repeated notification carries the time of the repetition, not the alert's start.
  const isRepeated = /^(?:re-|renotify)/i.test(transition);
  return toDelivery([
    {
      ...parsed,
      ...(monitor === null
        ? {}
        : { fingerprint: [monitor, scope], group: parsed.group ?? ['monitor', monitor] }),
      severity: parsed.severity === 'UNKNOWN' ? type : parsed.severity,
      labels: [
        ...parsed.labels,
        ...tags.map(splitTag),
        ['monitor', monitor],
        ['scope', scope],
        ['no_data', /no data/i.test(transition) ? 'true' : null],
      ],
      startsAt: isRepeated ? null : (parsed.startsAt ?? null),
      reportedAt: parsed.startsAt ?? null, // $DATE is the time of the notification
    },
  ]);
};

function bodyOf(delivery: Delivery): JsonReader {
  const type = delivery.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded/i.test(type)) return readJson(delivery).requireObject();
  return jsonReader(Object.fromEntries(new URLSearchParams(decodeUtf8(delivery.body))));
}
