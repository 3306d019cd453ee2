import type { Delivery, ParseDelivery } from '../delivery.ts';
import { unreadable } from '../errors.ts';
import { decodeUtf8, type JsonReader, jsonReader, parseJson, readJson } from '../json-reader.ts';
import { partsOfPairs } from '../keys.ts';
import { type ParsedAlert, readEach, toDelivery } from '../parsed-alert.ts';
import { stateOfMark } from './alert-state.ts';
import { contentOf } from './body-content.ts';
import { explainedKeys, parsedAlertOf } from './template-keys.ts';

const MAX_BATCH = 100;

/** Parses CloudEvents 1.0 over HTTP: structured, binary and batched. Event data has the keys of template-keys.ts. */
export const cloudevents: ParseDelivery = (delivery) => {
  const type = delivery.headers['content-type'] ?? '';
  const isBinary =
    delivery.headers['ce-specversion'] !== undefined && !/^application\/cloudevents/i.test(type);
  if (isBinary) return deliveredEvents([readAlert(binaryEvent(delivery))]);
  const body = readJson(delivery);
  if (!Array.isArray(body.value)) return deliveredEvents([readAlert(eventOf(body))]);
  const batch = body.list();
  if (batch.length > MAX_BATCH)
    throw unreadable('$', `the batch has ${batch.length} events; at most ${MAX_BATCH} are accepted`);
  const { all, leftOut } = readEach(batch, (event) => readAlert(eventOf(event)));
  return deliveredEvents(all, leftOut);
};

interface Event {
  source: string;
  type: string;
  id: string;
  subject: string | null;
  time: JsonReader;
  data: JsonReader;
}

function eventOf(event: JsonReader): Event {
  event.requireObject().at('specversion').requireText();
  const encoded = event.at('data_base64').text();
  const inline = event.at('data');
  const path = encoded === null ? inline.path : event.at('data_base64').path;
  const written = encoded === null ? inline.text() : decodeUtf8(Buffer.from(encoded, 'base64'));
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
    time: jsonReader(header('time')),
    data: dataOf(decodeUtf8(delivery.body), '$'),
  };
}

/** Reads the data of an event. Text that is not JSON becomes an annotation. */
function dataOf(text: string, path: string): JsonReader {
  try {
    return jsonReader(parseJson(text, path), path);
  } catch {
    return jsonReader(text.trim() === '' ? {} : { annotations: { data: text } }, path);
  }
}

function percentDecoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

interface ReadEvent {
  mark: readonly [source: string, id: string];
  alert: ParsedAlert;
}

function readAlert(event: Event): ReadEvent {
  return { mark: [event.source, event.id], alert: eventAlert(event) };
}

function deliveredEvents(events: readonly ReadEvent[], leftOut: string | null = null) {
  const marks = events.map(({ mark }) => mark);
  const deliveryKey = marks.length === 0 ? null : JSON.stringify(marks.length === 1 ? marks[0] : marks);
  return toDelivery(
    events.map(({ alert }) => alert),
    { deliveryKey, leftOut },
  );
}

/** Reads an event. Without a fingerprint, source, type and subject identify the alert, together with names in the data. */
function eventAlert({ source, type, subject, time, data }: Event): ParsedAlert {
  const parsed = parsedAlertOf({ whole: data, fallbackTitle: subject ?? type });
  const [, kind = type, mark = ''] = /^(.+)[.:/_-](\p{L}+)$/u.exec(type) ?? [];
  const state = stateOfMark(mark); // as in com.example.alert.resolved
  const about = [source, state === null ? type : kind, subject];
  const names = [
    ...partsOfPairs(data.at('labels').entries()),
    ...contentOf(data.value, explainedKeys(data)).names,
  ];
  const identity = subject === null ? parsed.fingerprint : names;
  return {
    ...parsed,
    fingerprint: data.at('fingerprint').text() === null ? [...about, ...identity] : parsed.fingerprint,
    state: data.at('state').text() === null ? (state ?? parsed.state) : parsed.state,
    labels: [...parsed.labels, ['ce_source', source], ['ce_type', type], ['ce_subject', subject]],
    reportedAt: time.date(),
    endsAt: parsed.endsAt ?? time.date(),
  };
}
