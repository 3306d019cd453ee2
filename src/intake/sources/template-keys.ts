import { readHeadline } from '../../engine/alert/headline.ts';
import { severityOf } from '../../engine/alert/severity.ts';
import { unreadable } from '../errors.ts';
import { type JsonReader, jsonText, type TextPair } from '../json-reader.ts';
import { partsOfPairs } from '../keys.ts';
import type { ParsedAlert } from '../parsed-alert.ts';
import { readTitle, stateAlone, stateOf } from './alert-state.ts';
import { contentOf } from './body-content.ts';
import { identifyingText } from './identifying-text.ts';

/** Keys of all documented templates: those whose value is a text, and those whose value is a mapping. */
const TEXT_KEYS = 'title severity state fingerprint group episode starts_at ends_at url'.split(' ');
const MAP_KEYS = ['labels', 'annotations'];

/** One alert in a body, and how its values are found. */
export interface AlertBody {
  /** The JSON of the whole alert. */
  readonly whole: JsonReader;
  /** Reads the value of a template key. Default: the member of this name. */
  readonly at?: (key: string) => JsonReader;
  /**
   * Paths, such as `check.name`, that the format explains. Other values are kept unchanged. Default: the template keys.
   */
  readonly used?: ReadonlySet<string>;
  /** Reads a text, so that placeholders which the sender did not replace read as absent. */
  readonly textOf?: (reader: JsonReader) => string | null;
  /** Title of an alert whose body has none and holds nothing else to read. Default: such a body is refused. */
  readonly fallbackTitle?: string;
  /** Values of the state that mean resolved. Default: the words of alert-state.ts. */
  readonly over?: readonly string[] | null;
  /**
   * Labels and annotations that the format adds. If set, the body's other values do not become labels or annotations.
   */
  readonly labels?: readonly TextPair[];
  readonly annotations?: readonly TextPair[];
}

/**
 * Reads an alert by the keys of a template. Values that no key explains become labels, and the whole body is kept for
 * the agents. Without a title, severity or state, the body is read like a text. Without a fingerprint, its content
 * identifies the alert. @throws DeliveryRefusedError if nothing in the body can be read
 */
export function parsedAlertOf(body: AlertBody): ParsedAlert {
  const { whole, over = null, textOf = (reader: JsonReader) => reader.text() } = body;
  const at = body.at ?? ((key: string) => whole.at(key));
  const used = body.used ?? explainedKeys(whole);
  const text = (key: string) => textOf(at(key));
  const content = contentOf(whole.value, used);
  const own = [...pairsOf(at('labels'), textOf), ...(body.labels ?? [])];
  const labels = body.labels ? own : [...content.labels, ...own];
  const annotations = [...pairsOf(at('annotations'), textOf), ...(body.annotations ?? [])];
  const [fingerprint, group] = [text('fingerprint'), text('group')];
  const given = text('title');
  const fallback = body.fallbackTitle ?? fingerprint;
  const hasText =
    given !== null || !content.isEmpty || [...labels, ...annotations].some(([, value]) => value !== null);
  if (!hasText && fallback === null) throw unreadable(whole.path, NOTHING);
  const isGuessed = !content.isEmpty || (given ?? fallback) === null;
  const headline = isGuessed ? readHeadline(jsonText(whole.value)) : null;
  const title = given ?? (content.isEmpty ? fallback : null) ?? headline!.title;
  const mark = readTitle(title);
  const severity = severityOf(text('severity'));
  return {
    fingerprint:
      fingerprint !== null
        ? [fingerprint]
        : [identifyingText(title), ...partsOfPairs(own), ...(body.labels ? [] : content.identity)],
    group: group === null ? null : [group],
    episode: text('episode'),
    title,
    severity: severity === 'UNKNOWN' ? (headline?.severity ?? severity) : severity,
    state:
      text('state') === null
        ? (stateAlone(content.states) ?? mark.state ?? 'FIRING')
        : stateOf(text('state'), over),
    labels,
    annotations:
      body.annotations || content.isEmpty ? annotations : [...annotations, ['body', bodyText(whole)]],
    startsAt: at('starts_at').date(),
    endsAt: at('ends_at').date(),
    url: text('url'),
  };
}

/** Returns the template keys that a body has. A value of an unexpected type does not count, so that it is not lost. */
export function explainedKeys(whole: JsonReader, more: readonly string[] = []): Set<string> {
  const texts = [...TEXT_KEYS, ...more].filter((key) => whole.at(key).text() !== null);
  const maps = MAP_KEYS.filter((key) => isMap(whole.at(key)));
  return new Set([...texts, ...maps]);
}

const isMap = (reader: JsonReader) => isStructured(reader) && !Array.isArray(reader.value);

const NOTHING =
  'holds nothing to read; send a title, labels or a text, or name the path of the title in the mapping of the source';

function bodyText(whole: JsonReader): string {
  return whole.text() ?? jsonText(whole.value);
}

function pairsOf(map: JsonReader, textOf: (reader: JsonReader) => string | null): TextPair[] {
  return map.entries().map(([name, written]): TextPair => {
    const value = map.at(name);
    return [name, textOf(value) ?? (isStructured(value) ? written : null)];
  });
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
