import { findWords, isAttribute, isTime } from './attribute.ts';
import { clauseBefore, holdsPiece, isAmount, isDenied, type Target, valueSpans } from './claimed-value.ts';
import { findFigures } from './figures.ts';
import { findWhole, fold, holdsName, isNamed, isNameLike, type Span } from './names.ts';
import type { Node, Place } from './node.ts';
import { siblingsOf } from './record.ts';
import { isInRecord, isNearest, isOfSubject } from './subject.ts';
import { ownText } from './text-fields.ts';
import type { ClaimedFact } from './types.ts';

export const isTimeOfLine = ({ attribute }: ClaimedFact) =>
  /^(?:time|timestamp|ts|at)$/i.test(attribute.trim());

/** Words that turn the state after them into its opposite: `failed to become ready`. */
const REVERSAL =
  /(?<![\p{L}\p{N}])(?:fail\p{L}*|unable|lost|wait\p{L}*|until|should|expect\p{L}*|instead|refus\p{L}*|denied)(?![\p{L}\p{N}])/iu;

/**
 * True if the span is a word at the beginning or end of its clause, and the attribute is a general one such
 * as `state`. A word that looks like a name is no state.
 */
function isState({ attribute }: ClaimedFact, text: string, { start, end }: Span): boolean {
  if (!STATES.test(attribute.trim()) || isNameLike(text.slice(start, end).replace(/[-\s]/g, '')))
    return false;
  const before = clauseBefore(text, start);
  const isEdge =
    before.trim() === '' || /^(?:$|[^\p{L}\p{N}\s'"`]|\s+[^\p{L}\p{N}]|\s*$)/u.test(text.slice(end));
  return isEdge && !REVERSAL.test(before);
}

export const STATES = /^(?:state|status|health|event|result|version|value)$/i;

/**
 * True if the text of a field states the fact: the value stands beside the words of the attribute and belongs
 * to the subject.
 */
export function isSaid(fact: ClaimedFact, target: Target, field: Node, place: Place): boolean {
  const { attribute, subject } = fact;
  if (isNamedElsewhere(fact, field, place)) return false;
  if (field.key === 'time') return isTold(fact, target, field);
  const text = ownText(field);
  const inText = findWhole(text, subject);
  const isOfLine =
    field.isRow && field.children.slice(0, MAX_FIELDS).some((child) => isNamed(child.text, subject));
  const words = fold(attribute) === 'value' ? inText : findWords(text, attribute);
  return valueSpans(target, text).some((span) => {
    const held = words.filter((word) => word.end <= span.start || word.start >= span.end);
    if (!holdsPiece(place, text.slice(span.start, span.end)) || isDenied(text, span, held)) return false;
    const isNear = inText.some((name) => isNearest(text, name, span));
    const others = text.slice(0, span.start) + ' '.repeat(span.end - span.start) + text.slice(span.end);
    const told =
      inText.length > 0 ? held : held.filter((word) => !holdsName(clauseBefore(others, word.start)));
    if (!isNear && (inText.length > 0 || !(isOfLine || isOfSubject(fact, field, place)))) return false;
    if (isAmount(target)) return told.some((word) => isBound(text, word, span));
    const isAfter = (word: Span) => (target.isTime ? isShortlyAfter : isNext)(text, word, span);
    if (told.some((word) => isAfter(word) || (inText.length === 0 && isNext(text, span, word)))) return true;
    return isState(fact, text, span) && (isNear || isOfLine);
  });
}

/**
 * True if the claimed time is the time of a log line or sample whose text contains the subject and the
 * attribute.
 */
function isTold(fact: ClaimedFact, target: Target, field: Node): boolean {
  const { parent } = field;
  const text = parent?.text || siblingsOf(field).find((sibling) => sibling.parent === parent)?.text || '';
  const isMeant = isTimeOfLine(fact) || findWords(text, fact.attribute).length > 0;
  const isOf = findWhole(text, fact.subject).length > 0 || isInRecord(fact.subject, fact.attribute, field);
  return target.isTime && isMeant && isOf && isTime(target.text, field.text);
}

/** Maximum number of fields in a text that are compared with an attribute. */
const MAX_FIELDS = 400;

/** True if a field of the row has the attribute's name. Only that field can then show the value. */
function isNamedElsewhere(fact: ClaimedFact, field: Node, place: Place): boolean {
  const { words } = place.call;
  return [field, ...siblingsOf(field), ...field.children.slice(0, MAX_FIELDS)].some(
    (node) =>
      node.text !== '' && node.key !== 'time' && node.key !== '' && isAttribute(fact.attribute, node, words),
  );
}

const hasFigure = (text: string) => findFigures(text).length > 0;

/** True if the words of the attribute and the figure stand together: no other figure is between them. */
function isBound(text: string, words: Span, figure: Span): boolean {
  if (words.start >= figure.end) {
    const gap = text.slice(figure.end, words.start).replace('(s)', '');
    return !hasFigure(gap) && !/[,:;()>]|\.\s/.test(gap);
  }
  const gap = text.slice(words.end, figure.start);
  if (hasFigure(gap) || /;|\.\s/.test(gap)) return false;
  if (!/:\s|[(,[]/.test(gap)) return true;
  // A figure after a colon or in parentheses belongs to the clause before it if that clause has no figure
  // itself.
  const isLast = /^\s*(?:$|[^\p{L}\p{N}\s])/u.test(text.slice(figure.end));
  return isLast && !gap.includes(',') && !hasFigure(clauseBefore(text, words.start));
}

const isNext = (text: string, first: Span, second: Span) =>
  first.end <= second.start && /^[\s'"`:=([]*$/.test(text.slice(first.end, second.start));

const isShortlyAfter = (text: string, first: Span, second: Span) =>
  first.end <= second.start && /^[^\d,;:()]{0,24}$/.test(text.slice(first.end, second.start));
