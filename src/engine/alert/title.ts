import { replaceUnstorable } from '../../common/storable.ts';
import { MAX_ENTITIES } from './entities.ts';

/** Maximum length of a title (UTF-16 code units). */
const MAX_TITLE = 200;
/** Maximum length of the part of a title that names entities, so that the alert's own words stay readable. */
const MAX_ABOUT = 100;

/** Returns the text as one storable line of at most MAX_TITLE characters; a cut line ends with `…`. */
export function toTitle(text: string): string {
  const { text: line } = replaceUnstorable(
    text
      .slice(0, 5_000)
      .replace(/[\s\u0085]+/g, ' ')
      .trim(),
  );
  return cut(line, MAX_TITLE);
}

/**
 * Returns the title with the affected entity, such as `Pod is crash looping: Pod shop/api-7d4f and 2 more`. A title
 * that names one of the entities stays as it is. Sessions, alert groups and messages have titles by this rule.
 */
export function titleAbout(title: string, entities: readonly string[]): string {
  const [first, ...others] = entities;
  const words = title.toLowerCase();
  if (first === undefined || entities.some((entity) => isNamed(words, entity))) return title;
  const count = entities.length < MAX_ENTITIES ? `${others.length} more` : 'more';
  const about = `: ${cut(toTitle(first), MAX_ABOUT)}${others.length === 0 ? '' : ` and ${count}`}`;
  return `${cut(title.replace(/[.:\s]+$/, ''), MAX_TITLE - about.length)}${about}`;
}

/** True if the words contain the entity's name, with or without its namespace. */
function isNamed(words: string, entity: string): boolean {
  const name = entity.toLowerCase().replace(/^[^/]* /, '');
  return [name, name.slice(name.lastIndexOf('/') + 1)].some((part) => part !== '' && hasWord(words, part));
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (!/[\p{L}\p{N}_-]/u.test(`${text[at - 1] ?? ''}${text[at + word.length] ?? ''}`)) return true;
  return false;
}

function cut(line: string, max: number): string {
  return line.length <= max ? line : `${replaceUnstorable(line.slice(0, max - 1)).text}…`;
}
