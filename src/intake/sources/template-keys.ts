import { severityOf } from '../../engine/alert/severity.ts';
import type { JsonReader, TextPair } from '../json-reader.ts';
import type { ParsedAlert } from '../parsed-alert.ts';

/** The words that mark an alert as resolved. With any other word or none it fires, so that it is not missed. */
const RESOLVED = new Set(
  `resolved resolve recovered recovery ok okay closed close normal inactive cleared clear success up healthy
  0 false`.split(/\s+/),
);

/**
 * Returns the alert with the keys that all documented templates use. Without a fingerprint, title and labels identify it.
 * @param at reads the value of a key
 */
export function parsedAlertOf(
  at: (key: string) => JsonReader,
  textOf: (reader: JsonReader) => string | null = (reader) => reader.text(),
): ParsedAlert {
  const text = (key: string) => textOf(at(key));
  const pairs = (key: string) =>
    at(key)
      .entries()
      .map(([name, written]): TextPair => {
        const value = at(key).at(name);
        return [name, textOf(value) ?? (isStructured(value) ? written : null)];
      });
  const labels = pairs('labels');
  const fingerprint = text('fingerprint');
  const group = text('group');
  return {
    fingerprint: fingerprint === null ? [text('title'), ...labels.flat()] : [fingerprint],
    group: group === null ? null : [group],
    episode: text('episode'),
    title: text('title'),
    severity: severityOf(text('severity')),
    state: RESOLVED.has(text('state')?.trim().toLowerCase() ?? '') ? 'RESOLVED' : 'FIRING',
    labels,
    annotations: pairs('annotations'),
    startsAt: at('starts_at').date(),
    endsAt: at('ends_at').date(),
    url: text('url'),
  };
}

/** Returns a reader of texts that treats placeholders which the sender did not replace as absent. */
export const textWithout = (placeholder: RegExp) => (reader: JsonReader) => {
  const text = reader.text();
  return text === null || placeholder.test(text.trim()) ? null : text;
};

/** True for values shown as JSON. Plain values that `textOf` reads as absent stay absent. */
function isStructured({ value }: JsonReader): boolean {
  return typeof value === 'object' && value !== null;
}
