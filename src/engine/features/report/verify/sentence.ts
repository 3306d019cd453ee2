import { findFigures, isSameFigure } from './figures.ts';
import { findWhole, fold, isNameLike } from './names.ts';
import { normalizedString } from './normalize-text.ts';
import { createProblem, type Problem } from './problems.ts';
import { extractTimes, isSameTime } from './times.ts';
import type { Claim, ClaimedFact } from './types.ts';

/** Returns a problem for each kind of detail that the sentence of a claim has and its facts lack. */
export function findUncovered(claim: Claim): Problem[] {
  const terms = claim.facts.flatMap(termsOf);
  let text = withoutCitations(claim);
  const blank = (start: number, end: number) => {
    text = `${text.slice(0, start)}${' '.repeat(end - start)}${text.slice(end)}`;
  };
  const times = extractTimes(text);
  const known = times.length > 0 ? terms.flatMap(extractTimes) : [];
  const missingTimes = times.filter(
    (time) => !known.some((found) => isSameTime(time, found)) && !isHeld(time.text, terms),
  );
  for (const { start, end } of times) blank(start, end);
  const missingNames = namesIn(text).filter((name) => !isHeld(name, terms) && !isMadeOfHeld(name, terms));
  const figures = terms.flatMap(findFigures).map((figure) => ({ ...figure, isSecond: false }));
  const missingFigures = findFigures(text).filter((figure) => {
    const same = figures.some(
      (found) =>
        isSameFigure(figure, found) ||
        (figure.readings.length === 0 && figure.bare.value === found.bare.value),
    );
    return !same && !isHeld(figure.text, terms);
  });
  const list = (texts: readonly string[]) => [...new Set(texts)].slice(0, 5);
  return [
    ...(missingFigures.length > 0
      ? [createProblem('FIGURE_IN_NO_FACT', list(missingFigures.map((figure) => figure.text)))]
      : []),
    ...(missingTimes.length > 0
      ? [createProblem('TIME_IN_NO_FACT', list(missingTimes.map((time) => time.text)))]
      : []),
    ...(missingNames.length > 0 ? [createProblem('NAME_IN_NO_FACT', list(missingNames))] : []),
  ];
}

function termsOf({ subject, attribute, value, unit, window, filter }: ClaimedFact): string[] {
  const whole = unit === null ? value : `${value} ${unit}`;
  return [subject, attribute, whole, window ?? '', filter ?? '']
    .map(normalizedString)
    .filter((term) => term !== '');
}

/** Removes the marks of citations, such as `[T12]`. A number without brackets stays: `T4` may be a GPU. */
function withoutCitations({ text, citations }: Claim): string {
  const cited = new Set(citations.map(({ source }) => (typeof source === 'number' ? `T${source}` : source)));
  const marks = /\[((?:(?:T\d{1,9}|ALERT|RUNBOOK)[\s,;]*){1,20})\]|\((T\d{1,9}(?:, ?T\d{1,9}){0,20})\)/g;
  return normalizedString(text).replace(marks, (whole, inner?: string, other?: string) => {
    const numbers = (inner ?? other!).split(/[\s,;]+/).filter((number) => number !== '');
    return numbers.every((number) => cited.has(number)) ? ' ' : whole;
  });
}

const QUOTED = /(?<![\p{L}\p{N}])'([^'\n]{1,200})'(?![\p{L}\p{N}])/gu;
const WORD =
  /(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])[^\s'(),;[\]{}<>|=!?"])+/gu;
/** Matches words with a capital letter within, except names of protocols with a version, such as `HTTP/2`. */
const CAPITAL_WITHIN = /\p{Ll}\p{Lu}|\p{Lu}{2,}\p{Ll}{2,}/u;
const PROTOCOL = /^\p{L}+\/\d(?:\.\d+)?$/u;

/**
 * Returns the names in a text: quoted words, and words that have a digit, a sign or a capital letter within.
 */
function namesIn(text: string): string[] {
  const quoted = [...text.matchAll(QUOTED)].map(([, name]) => name!.trim());
  const words = [...text.matchAll(WORD)].map(([word]) => word.replace(/^[.:_~-]+|[.:-]+$/g, ''));
  const named = words.filter((word) => {
    if (
      PROTOCOL.test(word) ||
      /^[~+-]?\d+(?:[.,]\d+)?(?:[%°]|\p{L}{1,3})?$/u.test(word) ||
      findFigures(word).some(({ text: all }) => all === word)
    )
      return false;
    return isNameLike(word) || CAPITAL_WITHIN.test(word) || /^\d+\.\d+\.\d/.test(word);
  });
  return [...quoted, ...named];
}

function isHeld(name: string, terms: readonly string[]): boolean {
  return terms.some((term) => findWhole(term, name).length > 0);
}

/**
 * True if the facts contain each part of a name such as `pod/web-1`, or its beginning, such as `postgres` for
 * `PostgreSQL`.
 */
function isMadeOfHeld(name: string, terms: readonly string[]): boolean {
  const parts = name.split(/[/:@]+/).filter((part) => part !== '');
  if (parts.length > 1 && parts.every((part) => isHeld(part, terms))) return true;
  return (
    !/[^\p{L}]/u.test(name) && terms.some((term) => term.length > 5 && fold(name).startsWith(fold(term)))
  );
}
