import { impliedUnits, isTime } from './attribute.ts';
import { clockFigure, type Figure, findFigures, isSameFigure } from './figures.ts';
import { findWhole, fold, type Span } from './names.ts';
import type { Node, Place } from './node.ts';
import { ownText } from './text-fields.ts';
import { extractTimes } from './times.ts';
import type { ClaimedFact } from './types.ts';

/** The claimed value of a fact, prepared for the search in a quoted passage. */
export interface Target {
  text: string;
  figure: Figure | null;
  isTime: boolean;
}

export function readTarget({ value, unit }: ClaimedFact): Target {
  const text = value.trim().replace(/ +/g, ' ');
  const whole = unit === null ? fold(text) : `${fold(text)} ${unit}`;
  const [figure] = findFigures(unit === null ? text : `${text} ${unit}`);
  const isWhole = figure !== undefined && figure.end - figure.start >= whole.length;
  const isNumber = /^[~+-]?[$€]?\d[\d,_]*(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text);
  return {
    text,
    figure: isWhole || (isNumber && figure !== undefined) ? figure! : null,
    isTime: extractTimes(text).length > 0,
  };
}

/** True for a figure and for figures that are stated together, such as `3 of 9`. */
export const isAmount = ({ text, figure, isTime: isInstant }: Target) =>
  !isInstant && (figure !== null || /^\d+[%\p{L}]{0,3} ?(?:\/|of|out of|-|\.\.) ?\d/u.test(text));

/** True if a field holds the value, whole or as one of its parts, in the quoted passage. */
export function holdsValue(
  target: Target,
  field: Node,
  { place, isWhole }: { place: Place; isWhole: boolean },
): boolean {
  const own = ownText(field);
  const text = fold(own).trim().replace(/ +/g, ' ');
  const isQuoted = (piece: string) => isWhole || holdsPiece(place, piece);
  if (isWhole && text === fold(target.text) && !target.figure?.readings.length) return true;
  if (isWhole && isSameSwitch(text, fold(target.text))) return true;
  if (target.isTime && (isWhole ? isTime(target.text, own) : timesOf(own, target).some(isQuoted)))
    return true;
  if (target.figure !== null) {
    const clock = isWhole ? clockFigure(own.trim()) : null;
    const units = impliedUnits(field, place.call);
    const figures = clock ? [clock] : leadingFigures(own).filter((figure) => isQuoted(figure.text));
    return figures.some((figure) => isSameFigure(target.figure!, figure, units));
  }
  const spans = findWhole(own, target.text).filter(({ start, end }) => isQuoted(own.slice(start, end)));
  return spans.some((span) => isPart(own, span) && !isDenied(own, span, []));
}

const timesOf = (text: string, target: Target) =>
  extractTimes(text).flatMap((found) => (isTime(target.text, found.text) ? [found.text] : []));

/**
 * Returns the first figure of a value, and the second one if it ends a range (`1..8`) or follows in
 * parentheses.
 */
function leadingFigures(text: string): Figure[] {
  const [first, second] = findFigures(text);
  if (first === undefined) return [];
  const between = second ? text.slice(first.end, second.start) : '';
  return second && /^(?:\.\.| \($)/.test(between) ? [first, second] : [first];
}

const SWITCHES = [
  ['true', 't', 'yes', 'on'],
  ['false', 'f', 'no', 'off'],
];

function isSameSwitch(found: string, claimed: string): boolean {
  return SWITCHES.some((words) => words.includes(found) && words.includes(claimed));
}

/** True if the span is an element of a list, or if the text is a sentence of more than three words. */
function isPart(text: string, { start, end }: Span): boolean {
  const [before, after] = [text.slice(0, start).trimEnd(), text.slice(end).trimStart()];
  const isElement = /(?:^|[^\p{L}\p{N}]|\p{Ll}:)$/u.test(before) && /^(?:$|[^\p{L}\p{N}'])/u.test(after);
  return isElement || text.trim().split(/\s+/).length > 3;
}

const NEGATION =
  /(?<![\p{L}\p{N}_-])(?:no|not|never|none|without|neither|nor|cannot|\p{L}+n't|nicht|kein\p{L}*|ohne|ne|pas|sans|non)(?![\p{L}\p{N}_-])|[没无不未]|ない|ません/iu;
const CLAUSE = /[,;:()[\]{}|>]\s|\.\s|[()\t]|\s{2,}/g;

/**
 * True if the clause around a passage contains a negation outside of `held`, the spans that the fact itself
 * names.
 */
export function isDenied(text: string, { start, end }: Span, held: readonly Span[]): boolean {
  const ends = [...text.matchAll(CLAUSE)].map(({ index }) => index);
  const from = ends.findLast((at) => at < start) ?? -1;
  const to = ends.find((at) => at >= end) ?? text.length;
  let rest = `${text.slice(from + 1, start)}${' '.repeat(end - start)}${text.slice(end, to)}`;
  for (const span of held)
    rest =
      rest.slice(0, Math.max(0, span.start - from - 1)) +
      ' '.repeat(span.end - span.start) +
      rest.slice(Math.max(0, span.end - from - 1));
  return NEGATION.test(fold(rest));
}

/** Returns the clause before a position. */
export const clauseBefore = (text: string, at: number) => text.slice(0, at).split(CLAUSE).at(-1)!;

export function valueSpans({ figure, text: value, isTime: isInstant }: Target, text: string): Span[] {
  if (isInstant) return extractTimes(text).filter((found) => isTime(value, found.text));
  if (figure === null) return findWhole(text, value);
  return findFigures(text)
    .filter((found) => isSameFigure(figure, found))
    .map(({ start, end }) => ({ start, end: wholeRatio(text, end) }));
}

/** Returns the end of a ratio, such as `3 of 4 GiB`, whose first figure ends here. */
function wholeRatio(text: string, end: number): number {
  const [ratio] = /^\s?(?:\/|of|out of)\s?[\d.,]+(?: ?[KMGT]i?B)?/.exec(text.slice(end, end + 40)) ?? [''];
  return end + ratio.length;
}

/** True if the quoted passage, which contains a field only in part, contains this piece of the field. */
export function holdsPiece({ passage }: Place, piece: string): boolean {
  return findWhole(passage, piece).length > 0;
}
