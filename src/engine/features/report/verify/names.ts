/** Returns a text in lower case with one form of each quotation mark, dash and space. Positions stay the same. */
export function fold(text: string): string {
  const plain = text.replace(/["`]/g, "'").replaceAll('\t', ' ').toLowerCase();
  if (!/[^\0-\x7f]/.test(plain)) return plain;
  return plain
    .replace(/[´‘’‚‛“”„‟‹›«»′″]/g, "'")
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00a0\u2000-\u200a\u202f\u3000]/g, ' ');
}

/** Matches a letter or digit of a script that separates words by spaces. */
const WORD_UNIT = /^(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])[\p{L}\p{N}_]$/u;
const isWordUnit = (unit: string | undefined) => unit !== undefined && WORD_UNIT.test(unit);
/** Matches characters that join the parts of one name. */
const isJoint = (unit: string | undefined) => unit !== undefined && '-.@+%'.includes(unit);

export interface Span {
  start: number;
  end: number;
}

/** Returns where a text holds a piece as whole words: `web-1` is in `pod/web-1:80`, but not in `web-1-old`. */
export function findWhole(text: string, piece: string): Span[] {
  const folded = fold(text);
  const words = fold(piece).trim().split(/ +/);
  if (words[0] === '' || !words.every((word) => folded.includes(word))) return [];
  const found: Span[] = [];
  for (const match of folded.matchAll(new RegExp(words.map(escaped).join(' +'), 'g'))) {
    const [start, end] = [match.index, match.index + match[0].length];
    if (!isInside(text, start, -1) && !isInside(text, end - 1, 1)) found.push({ start, end });
  }
  return found;
}

const escaped = (word: string) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/**
 * True if the name that contains the character at `edge` continues in the direction of `step`. `Name` in
 * `a.b.Name` counts as a complete name, because the last part of a class name stands for the class.
 */
function isInside(text: string, edge: number, step: -1 | 1): boolean {
  const [unit, next, afterNext] = [text[edge], text[edge + step], text[edge + 2 * step]];
  if (!isWordUnit(unit)) return false;
  if (isWordUnit(next)) return true;
  if (step < 0 && next === '.' && /\p{Lu}/u.test(unit!) && /\p{Ll}/u.test(afterNext ?? '')) return false;
  return isJoint(next) && isWordUnit(afterNext);
}

/**
 * True if a field's value is the name, or is a single word that contains the name as a part, such as
 * `pod/web-1`.
 */
export function isNamed(value: string, name: string): boolean {
  const trimmed = value.trim();
  const [first] = findWhole(trimmed, name);
  return first !== undefined && (!/\s/.test(trimmed) || first.end - first.start >= trimmed.length - 1);
}

/** Matches a token that reads as a name, as it has a digit beside letters or a sign within. */
const NAME_LIKE =
  /[\p{L}_][\p{L}\p{N}]*[-./:@_]+[\p{L}\p{N}]|\p{L}+\p{N}|\p{N}+[-./:@_]?\p{L}|\d\.\d+\.\d+\.\d|^\/\p{L}/u;

export const isNameLike = (token: string) => NAME_LIKE.test(token);

/** True if a text holds a name, or a word between quotation marks. */
export function holdsName(text: string): boolean {
  return (
    /'[^'\s]+'/.test(fold(text)) ||
    text.split(/[\s,;()[\]{}'"]+/).some((token) => isNameLike(token.replace(/[.:]+$/, '')))
  );
}

/** Returns the lower-case words of a field's name: `maxWait_seconds` → max, wait, second. Plurals are made singular. */
export function keyWords(key: string): readonly string[] {
  let words = KNOWN_KEYS.get(key);
  if (words === undefined) {
    words = splitKey(key);
    if (KNOWN_KEYS.size >= MAX_KNOWN_KEYS) KNOWN_KEYS.clear();
    KNOWN_KEYS.set(key, words);
  }
  return words;
}

const KNOWN_KEYS = new Map<string, readonly string[]>();
const MAX_KNOWN_KEYS = 5000;

function splitKey(key: string): string[] {
  return key
    .replace(/\([^)]*\)/g, ' ')
    .replaceAll('%', ' percent ')
    .replace(/(\p{Ll}|\d)(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));
}

export const isSubset = (some: readonly string[], all: readonly string[]) =>
  some.every((word) => all.includes(word));
