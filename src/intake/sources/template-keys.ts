import type { AlertState } from '../../db/enums.ts';
import { severityOf } from '../../engine/alert/severity.ts';
import type { JsonReader } from '../json-reader.ts';
import type { ParsedAlert } from '../parsed-alert.ts';

/** The words that mark an alert as resolved; with any other word it fires. */
const RESOLVED = new Set([
  'resolved',
  'resolve',
  'recovered',
  'recovery',
  'ok',
  'okay',
  'closed',
  'close',
  'normal',
  'inactive',
  'cleared',
  'clear',
  'success',
  'up',
  'healthy',
  '0',
  'false',
]);

/** @param word `null` if the sender does not say; the alert then fires, so that it is not missed */
function stateOfWord(word: string | null): AlertState {
  return word !== null && RESOLVED.has(word.trim().toLowerCase()) ? 'RESOLVED' : 'FIRING';
}

/** Readers of the parts of an alert. */
export type TemplateKeys = Readonly<
  Record<
    | 'title'
    | 'severity'
    | 'state'
    | 'fingerprint'
    | 'group'
    | 'episode'
    | 'labels'
    | 'annotations'
    | 'starts_at'
    | 'ends_at'
    | 'url',
    JsonReader
  >
>;

const NAMES = [
  'title',
  'severity',
  'state',
  'fingerprint',
  'group',
  'episode',
  'labels',
  'annotations',
  'starts_at',
  'ends_at',
  'url',
] as const;

/** Reads the keys that all documented templates use. */
export function templateKeys(alert: JsonReader): TemplateKeys {
  return Object.fromEntries(NAMES.map((name) => [name, alert.at(name)])) as unknown as TemplateKeys;
}

/** Returns the alert in these keys. Without a fingerprint, title and labels identify it. */
export function parsedAlertOf(
  keys: TemplateKeys,
  text: (reader: JsonReader) => string | null = (reader) => reader.text(),
): ParsedAlert {
  const clean = (reader: JsonReader) =>
    reader.entries().map(([name, told]): [string, string | null] => {
      const value = reader.at(name);
      return [name, text(value) ?? (isStructured(value) ? told : null)];
    });
  const labels = clean(keys.labels);
  const fingerprint = text(keys.fingerprint);
  const group = text(keys.group);
  const state = stateOfWord(text(keys.state));
  const startsAt = keys.starts_at.date();
  return {
    fingerprint: fingerprint === null ? [text(keys.title), ...labels.flat()] : [fingerprint],
    group: group === null ? null : [group],
    episode: text(keys.episode),
    title: text(keys.title),
    severity: severityOf(text(keys.severity)),
    state,
    labels,
    annotations: clean(keys.annotations),
    startsAt,
    endsAt: keys.ends_at.date(),
    url: text(keys.url),
  };
}

/** True for values shown as JSON. Plain values that `text` reads as absent stay absent. */
function isStructured({ value }: JsonReader): boolean {
  return typeof value === 'object' && value !== null;
}
