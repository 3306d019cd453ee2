import { severityOf } from '../../engine/alert/severity.ts';
import type { JsonReader, TextPair } from '../json-reader.ts';
import type { ParsedAlert } from '../parsed-alert.ts';

/** Values of `state` for a resolved alert. With any other value or none, the alert fires, so that none is missed. */
const RESOLVED = new Set(
  `resolved resolve recovered recovery ok okay closed close normal inactive cleared clear success up healthy
  0 false`.split(/\s+/),
);

/**
 * Reads an alert by the keys of all documented templates. Without a fingerprint, title and labels identify the alert.
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

/** Returns a function that reads a text; `null` for a placeholder that the sender did not replace. */
export const textWithout = (placeholder: RegExp) => (reader: JsonReader) => {
  const text = reader.text();
  return text === null || placeholder.test(text.trim()) ? null : text;
};

/** True for lists and mappings, whose JSON text is kept. Other values without text are left out. */
function isStructured({ value }: JsonReader): boolean {
  return typeof value === 'object' && value !== null;
}
