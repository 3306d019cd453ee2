import type { AlertState } from '../../db/enums.ts';
import { severityOf } from '../../engine/alert/severity.ts';
import type { Reader } from '../json-reader.ts';
import type { AlertDraft } from '../parsed-alert.ts';

/** Words by which senders say that something is over; whatever else they say, it goes on. */
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

/** @param word null = the sender does not say: then it fires, or it would be missed */
function stateOfWord(word: string | null): AlertState {
  return word !== null && RESOLVED.has(word.trim().toLowerCase()) ? 'RESOLVED' : 'FIRING';
}

/** Where the parts of an alert stand. */
export type OwnKeys = Readonly<
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
    Reader
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

/** The set of keys that all templates of ours use. */
export function ownKeys(alert: Reader): OwnKeys {
  return Object.fromEntries(NAMES.map((name) => [name, alert.at(name)])) as unknown as OwnKeys;
}

/** An alert in these keys. Without a fingerprint it is known by its title and labels. */
export function draftOf(
  keys: OwnKeys,
  text: (reader: Reader) => string | null = (reader) => reader.text(),
): AlertDraft {
  const clean = (reader: Reader) =>
    reader.entries().map(([name, told]): [string, string | null] => {
      const value = reader.at(name);
      return [name, text(value) ?? (isStructured(value) ? told : null)];
    });
  const labels = clean(keys.labels);
  const fingerprint = text(keys.fingerprint);
  const group = text(keys.group);
  const state = stateOfWord(text(keys.state));
  const startsAt = keys.starts_at.moment();
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
    endsAt: keys.ends_at.moment(),
    url: text(keys.url),
  };
}

/** Whether it is told as JSON; what is plain and was read as absent stays so. */
function isStructured({ value }: Reader): boolean {
  return typeof value === 'object' && value !== null;
}
