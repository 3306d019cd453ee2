import { findFigures } from './figures.ts';
import { findWhole, isNamed, isSubset, keyWords } from './names.ts';
import { type Node, upwards } from './node.ts';
import { isSample, siblingsOf } from './record.ts';
import { extractTimes, isSameTime, parseEpochTime } from './times.ts';
import { findUnits, type Unit, unitsFromName } from './units.ts';

/** Words of the call's query, which name the values of its answer. */
export type QueryWords = readonly string[];

/**
 * True if the attribute names the field. Words of the attribute that are not in the field's name must be in
 * the names of the objects around it.
 */
export function isAttribute(attribute: string, field: Node, query: QueryWords): boolean {
  if (attribute.trim().toLowerCase() === field.key.toLowerCase() && field.key !== '') return true;
  const claimed = keyWords(attribute);
  const own = keyWords(field.key);
  if (claimed.length === 0) return false;
  if (isSample(field)) return isSubset(claimed, sampleWords(field, query));
  const bare = own.filter((word) => findUnits(word).length === 0);
  for (const words of [own, bare]) {
    if (words.length === 0) continue;
    const rest = claimed.filter((word) => !words.includes(word));
    if (isSubset(words, claimed) && isSubset(rest, wordsAround(field))) return true;
  }
  return isOnlyValueOf(claimed, field) || isNameInList(claimed, field);
}

/** True for the name of an item in a list that the attribute names: `container` of `containers: - name: web`. */
function isNameInList(claimed: readonly string[], { key, parent }: Node): boolean {
  return key === 'name' && parent?.isRow === true && keyWords(parent.parent?.key ?? '')[0] === claimed.join();
}

function wordsAround(field: Node): string[] {
  const around = [...upwards(field.parent)].flatMap(({ key }) => keyWords(key));
  const { parent } = field;
  if (!parent?.text) return around;
  const before = parent.text.slice(0, field.start - parent.start);
  return [
    ...around,
    ...keyWords(before.slice(Math.max(...[...'(,;{'].map((mark) => before.lastIndexOf(mark))) + 1)),
  ];
}

/** True if the field is the only value of an object that the attribute names. */
function isOnlyValueOf(claimed: readonly string[], field: Node): boolean {
  for (const node of upwards(field.parent)) {
    if (node.text !== '') return false;
    if (node.children.length > 1 && !/^(?:value|name)$/i.test(field.key)) return false;
    const words = keyWords(node.key);
    if (words.length > 0) return words.length === claimed.length && isSubset(words, claimed);
  }
  return false;
}

function sampleWords(field: Node, query: QueryWords): string[] {
  const labels = siblingsOf(field);
  const quantile = labels.find(({ key }) => key === 'quantile')?.text;
  const name = labels.find(({ key }) => key === '__name__')?.text ?? '';
  const named = labels.some(({ key }) => query.includes(key));
  return [
    ...keyWords(field.key),
    ...keyWords(name),
    ...(named ? query.filter((word) => labels.every(({ key }) => key !== word)) : query),
    ...(quantile?.startsWith('0.') ? [`p${quantile.slice(2)}`] : []),
  ];
}

const MAIN = new Set(['value', 'statu', 'status', 'state']);

/**
 * True if another field of the record has the attribute as its value, and this field is the value of that
 * entry, such as `5` in `{name: latency, value: 5}` for the attribute `latency`.
 */
export function isValueOfEntry(attribute: string, field: Node): boolean {
  const siblings = siblingsOf(field);
  const entry = siblings.find(
    (sibling) => isNamed(sibling.text, attribute) || isTime(attribute, sibling.text),
  );
  if (entry === undefined) return false;
  if (isSample(field) || MAIN.has(keyWords(field.key).join())) return true;
  const figures = siblings.filter(
    (node) => node !== entry && node.parent === field.parent && findFigures(node.text).length > 0,
  );
  return figures.length === 0 && entry.parent === field.parent && findFigures(field.text).length > 0;
}

export function isTime(claimed: string, text: string): boolean {
  const [time] = /\d/.test(claimed) && /\d/.test(text) ? extractTimes(claimed) : [];
  if (time === undefined) return false;
  const epoch = parseEpochTime(text);
  return [...extractTimes(text), ...(epoch ? [epoch] : [])].some((found) => isSameTime(time, found));
}

/**
 * True if the field's name begins with the subject and the attribute adds no more than the rest of that name,
 * such as subject `web` and attribute `restarts` for the field `web_restarts`.
 */
export function isFieldOfSubject(subject: string, attribute: string, { key, parent }: Node): boolean {
  const [names, claimed, words] = [keyWords(subject), keyWords(attribute), keyWords(key)];
  if (names.length === 0 || !names.every((name, index) => words[index] === name)) return false;
  const around = [...upwards(parent)].flatMap((node) => keyWords(node.key));
  const isWhole = names.length === words.length;
  if (isWhole && claimed.join() === 'value') return true;
  const rest = words.slice(names.length);
  return isSubset(claimed, [...words, ...(isWhole ? around : [])]) && isSubset(rest, claimed);
}

/**
 * Returns the units of a field whose value has none: by its name, a field beside it, or the call's query or
 * command.
 */
export function impliedUnits(
  field: Node,
  { metric, command }: { metric: string; command: string },
): readonly Unit[] {
  const { parent, key } = field;
  const clause = parent?.text
    ? parent.text
        .slice(0, field.start - parent.start)
        .split(/[(,;]/)
        .at(-1)!
    : '';
  const byName = /\bactual \w*=?$/.test(clause) && key === 'time' ? findUnits('ms') : unitsFromName(key);
  if (byName.length > 0) return byName;
  const siblings = siblingsOf(field);
  const unit = siblings.find((sibling) => /^units?$/i.test(sibling.key) && sibling.parent === parent)?.text;
  if (unit !== undefined) {
    const [pages] = findFigures(unit);
    return pages ? pages.readings.map((reading) => ({ ...reading, factor: reading.value })) : findUnits(unit);
  }
  const entry = siblings.find((sibling) => sibling.parent === parent && /(?:^|_)name$/i.test(sibling.key));
  if (entry && /^value$/i.test(key)) return unitsFromName(entry.text);
  if (siblings.some((sibling) => sibling.key === '1K-blocks')) return findUnits('KiB');
  const [, option] = /\bfree -([kmg])\b/.exec(command) ?? [];
  if (option && siblings.some((sibling) => /^(?:total|used|free)$/.test(sibling.key)))
    return findUnits(`${option.toUpperCase()}i`);
  return isSample(field) && metric !== '' ? unitsFromName(metric) : [];
}

/** Returns where a text holds the words of an attribute in their order, with at most three other words between two. */
export function findWords(text: string, attribute: string): { start: number; end: number }[] {
  const whole = findWhole(text, attribute);
  if (whole.length > 0) return whole;
  const words = keyWords(attribute);
  if (words.length === 0) return [];
  const pattern = words
    .map((word) => `(?<![\\p{L}\\p{N}_-])${word}(?:s|\\(s\\))?(?![\\p{L}\\p{N}_-])`)
    .join('(?:[^\\p{L}\\p{N};]+[^\\s;]+){0,3}?[^\\p{L}\\p{N};]+');
  return [...text.matchAll(new RegExp(pattern, 'giu'))].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
}
