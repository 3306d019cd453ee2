import { isValueOfEntry } from './attribute.ts';
import { findWhole, fold, holdsName, isNamed, isSubset, keyWords, type Span } from './names.ts';
import { childrenOf, type Node, type Place, upwards } from './node.ts';
import { besides, isSample, LABELS, neighboursOf, sharesKeys, siblingsOf } from './record.ts';
import { ownText } from './text-fields.ts';
import type { ClaimedFact } from './types.ts';

/** True if the subject names the record of a field, an object around it, or the field itself. */
export function isOfSubject({ subject, attribute }: ClaimedFact, field: Node, { call }: Place): boolean {
  if (subject.trim() === '') return false;
  if (isInRecord(subject, attribute, field)) return true;
  return call.entities.some((entity) => fold(entity) === fold(subject)) && hasNoName(field);
}

export function isInRecord(subject: string, attribute: string, field: Node): boolean {
  const words = keyWords(subject);
  const own = keyWords(field.key);
  const isFieldItself = words.length > 0 && words.every((word, index) => own[index] === word);
  if (isFieldItself && !(isSample(field) && field.parent!.children.length > 1)) return true;
  const claimed = keyWords(attribute);
  // true if the attribute identifies the innermost entry around the field
  let isPinned = isValueOfEntry(attribute, field);
  for (const node of upwards(field)) {
    if (
      node !== field &&
      (isNamed(node.key, subject) || (node.text !== '' && isBeside(subject, node, field)))
    )
      return true;
    if (besides(node).some(({ key, text }) => !RELATION.test(key) && isNamed(text, subject))) return true;
    // The values of a named entry are not those of the object around it, unless the attribute names the entry.
    if (!isNamedEntry(node, field) && (node === field || !hasTwin(node))) continue;
    const isSaid = isSubset(keyWords(node.key), claimed) && node.key !== '';
    if (!isSaid && !isPinned && !isAttributeOfList(claimed, node)) return false;
    isPinned = false;
  }
  return false;
}

/** Matches names of fields that refer to another object than the one that the record is about. */
const RELATION = /(?:^|[_\s.-])(?:by|from|to|of|parent|previous)$/i;

/** True for a row of a table, and for an object with a name of its own. */
function isNamedEntry(node: Node, field: Node): boolean {
  if (node.text !== '' || isSample(field) || node.parent?.parent == null) return false;
  if (node.isRow && node.parent.key === '') return true;
  const inside = childrenOf(node).slice(0, 50);
  return (
    inside.some(({ key, text }) => text !== '' && key !== field.key && OWN_NAME.test(key)) &&
    !LABELS.test(node.key)
  );
}

const OWN_NAME = /^(?:(?:.*[_-])?name|id|type|.*Name|.*Id|.*Identifier)$/;

/** True for an entry of a map with entries of the same kind, such as `limits` and `requests`. */
function hasTwin(node: Node): boolean {
  if (node.isRow || node.text !== '') return false;
  return neighboursOf(node).some((other) => other.text === '' && sharesKeys(other, node));
}

const isAttributeOfList = (claimed: readonly string[], { parent }: Node) =>
  parent !== null && parent.key !== '' && isSubset(claimed, keyWords(parent.key));

/**
 * True if the text around a field names the subject without another name between subject and field. A subject
 * after the field counts only if no name stands before the field.
 */
function isBeside(subject: string, node: Node, field: Node): boolean {
  const at = field.start - node.start;
  const own = ownText(node);
  const isFirst = !holdsName(own.slice(0, Math.max(0, at)));
  return findWhole(node.text, subject).some((span) => {
    if (field.key === 'time' || at > node.text.length) return true;
    return (span.start < at || isFirst) && isNearest(own, span, { start: at, end: at });
  });
}

export function isNearest(text: string, subject: Span, value: Span): boolean {
  const [start, end] =
    subject.end <= value.start ? [wordEnd(text, subject.end), value.start] : [value.end, subject.start];
  return !holdsName(text.slice(start, Math.max(start, end)));
}

const wordEnd = (text: string, at: number) =>
  at + (/^[^\s,;()[\]{}]*/.exec(text.slice(at, at + 200))?.[0].length ?? 0);

/** True if a record contains no name. Such a record is about what the call looked at. */
function hasNoName(field: Node): boolean {
  const around = [...siblingsOf(field), ...upwards(field.parent)];
  const row = [...upwards(field)].find(({ isRow }) => isRow);
  if (row?.parent?.parent || (field.parent !== row && field.parent?.parent)) return false;
  return (
    !around.some(({ key, text }) => key !== 'time' && holdsName(text)) &&
    !(field.parent?.text && holdsName(ownText(field.parent)))
  );
}
