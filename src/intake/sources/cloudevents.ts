import type { Delivery, ParseDelivery } from '../delivery.ts';
import { unreadable } from '../errors.ts';
import { decoded, jsonOfDelivery, parseJson, type Reader, readerOf } from '../json-reader.ts';
import { type AlertDraft, delivered } from '../parsed-alert.ts';
import { draftOf, ownKeys } from './template-keys.ts';

/** Events of one batch. */
const MAX_BATCH = 100;

/** CloudEvents 1.0 over HTTP: structured, binary, and batches. Their data has the keys of our own templates. */
export const cloudevents: ParseDelivery = (delivery) => {
  const type = delivery.headers['content-type'] ?? '';
  const isBinary =
    delivery.headers['ce-specversion'] !== undefined && !/^application\/cloudevents/i.test(type);
  if (isBinary) return deliveredEvents([binaryEvent(delivery)]);
  const body = jsonOfDelivery(delivery);
  if (!Array.isArray(body.value)) return deliveredEvents([eventOf(body)]);
  const batch = body.list();
  if (batch.length > MAX_BATCH)
    throw unreadable('$', `the batch has ${batch.length} events, at most ${MAX_BATCH} are taken`);
  return deliveredEvents(batch.map(eventOf));
};

interface Event {
  source: string;
  type: string;
  id: string;
  subject: string | null;
  time: Reader;
  data: Reader;
}

function eventOf(event: Reader): Event {
  event.requireObject().at('specversion').requireText();
  const encoded = event.at('data_base64').text();
  const inline = event.at('data');
  const path = encoded === null ? inline.path : event.at('data_base64').path;
  const written = encoded === null ? inline.text() : decoded(Buffer.from(encoded, 'base64'));
  return {
    source: event.at('source').requireText(),
    type: event.at('type').requireText(),
    id: event.at('id').requireText(),
    subject: event.at('subject').text(),
    time: event.at('time'),
    data: written === null ? inline : dataOf(written, path),
  };
}

function binaryEvent(delivery: Delivery): Event {
  const header = (name: string): string | null => {
    const value = delivery.headers[`ce-${name}`];
    return value === undefined || value === '' ? null : percentDecoded(value);
  };
  const required = (name: string) => {
    const value = header(name);
    if (value === null) throw unreadable(`header ce-${name}`, 'is required');
    return value;
  };
  return {
    source: required('source'),
    type: required('type'),
    id: required('id'),
    subject: header('subject'),
    time: readerOf(header('time')),
    data: dataOf(decoded(delivery.body), '$'),
  };
}

/** Data that is no JSON is text about the event. */
function dataOf(text: string, path: string): Reader {
  try {
    return readerOf(parseJson(text, path), path);
  } catch {
    return readerOf(text.trim() === '' ? {} : { annotations: { data: text } }, path);
  }
}

function percentDecoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function deliveredEvents(events: readonly Event[]) {
  const [only] = events;
  const deliveryKey = events.length === 1 && only ? JSON.stringify([only.source, only.id]) : null;
  return delivered(events.map(draftOfEvent), { deliveryKey });
}

function draftOfEvent({ source, type, subject, time, data }: Event): AlertDraft {
  const draft = draftOf(ownKeys(data));
  return {
    ...draft,
    fingerprint: data.at('fingerprint').text() === null ? [source, type, subject] : draft.fingerprint,
    title: draft.title ?? subject ?? type,
    labels: [...draft.labels, ['ce_source', source], ['ce_type', type], ['ce_subject', subject]],
    // The time of an event that tells of it again is not that of the beginning.
    endsAt: draft.endsAt ?? time.moment(),
  };
}
