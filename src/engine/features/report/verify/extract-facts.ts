import {
  type Figure,
  joinDurations,
  parseFigures,
  parseNumberWord,
  unitless,
  withFieldUnit,
} from './extract-figures.ts';
import { isEntityName, isName, nameForms } from './extract-names.ts';
import { extractTimes, type LocatedTime, parseEpochTime } from './extract-times.ts';
import { findUnits, unitFromFieldName } from './units.ts';

/** Comparable facts of a normalized text, each with its position in it. */
export interface Facts {
  times: LocatedTime[];
  figures: (Figure & { start: number })[];
  names: { text: string; start: number }[];
}

interface Word {
  text: string;
  start: number;
  end: number;
}

/** Matches a word: white space, brackets, quotation marks and a change of script separate words. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]+|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])[^\s'()[\]{}<>=|;!?*&#\\^])+/gu;

/** Extracts the times, figures and names of a text. @param text normalized */
export function extractFacts(text: string): Facts {
  const times = extractTimes(text);
  const figures: Facts['figures'] = [];
  const names: Facts['names'] = [];
  const all = wordsOf(blanked(text, times));
  for (let at = 0; at < all.length; at++) {
    const { text: word, start, end } = all[at]!;
    const next = all[at + 1];
    const possibleUnit = next && next.start - end <= 1 ? unitWord(next.text) : null;
    const isVersion =
      /^v?\d+\.\d/.test(word) && VERSION_BEFORE.test(text.slice(Math.max(0, start - 24), start));
    const read = isVersion ? NO_FIGURES : parseFigures(word, possibleUnit);
    if (read.figures.length > 0) {
      const field = read.figures.length === 1 && !read.usedNext ? fieldBefore(text, start) : undefined;
      for (const figure of read.figures) {
        const unit = field === undefined ? undefined : unitFromFieldName(field);
        const last = figures.at(-1);
        const joined = last && isAdjacent(text, last, start) ? joinDurations(last, figure) : null;
        if (joined) figures[figures.length - 1] = { ...joined, start: last!.start };
        else figures.push({ ...(unit ? withFieldUnit(figure, unit) : figure), start });
      }
      if (read.usedNext) at += 1;
      continue;
    }
    const value = parseNumberWord(word);
    if (value !== undefined) {
      const spelled = possibleUnit === null ? NO_FIGURES : parseFigures(String(value), possibleUnit);
      figures.push({ ...(spelled.usedNext ? spelled.figures[0]! : unitless(String(value), word)), start });
      if (spelled.usedNext) at += 1;
    } else if (isVersion || isName(word)) names.push({ text: word, start });
  }
  return { times, figures, names };
}

/** Returns the unit that a Chinese or Japanese word begins with; the word itself in other scripts or without a unit. */
function unitWord(word: string): string {
  if (!/^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(word)) return word;
  return [3, 2, 1].map((length) => word.slice(0, length)).find((unit) => findUnits(unit)) ?? word;
}

const NO_FIGURES: ReturnType<typeof parseFigures> = { figures: [], usedNext: false };
const VERSION_BEFORE =
  /(?:version|release|tag|Version|Release|Kubernetes|PostgreSQL|Postgres|Python|Node|Java|Go|OpenSSL|Redis|nginx) $/;

/** The facts of a source and every form of its tokens, against which claims are compared. */
export interface Evidence {
  times: readonly LocatedTime[];
  figures: readonly Figure[];
  names: ReadonlySet<string>;
  text: string;
}

export function extractEvidence(text: string): Evidence {
  const { times, figures: located } = extractFacts(text);
  const names = new Set<string>();
  const figures: Figure[] = [...located];
  for (const { text: word } of wordsOf(text)) {
    const cells = word.includes(',') ? word.split(',') : [];
    for (const form of [...nameForms(word), ...cells.flatMap(nameForms)]) {
      names.add(form);
      if (form !== word) figures.push(...parseFigures(form, null).figures);
    }
    const epoch = parseEpochTime(word);
    if (epoch) times.push({ ...epoch, start: 0, end: 0 });
  }
  return { times, figures, names, text };
}

/** Returns the evidence per line of a table or log. `null` unless several lines have a name and a figure or time. */
export function independentLines(lines: readonly string[]): Evidence[] | null {
  const evidence = lines.map(extractEvidence);
  const complete = lines.filter((line, index) => {
    const { figures, times } = evidence[index]!;
    return (
      figures.length + times.length > 0 && extractFacts(line).names.some(({ text }) => isEntityName(text))
    );
  });
  return complete.length > 1 ? evidence : null;
}

function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: raw, index }) => splitWord(raw, index));
}

/** Splits at commas, except between digits, and removes punctuation at the edges. */
function splitWord(raw: string, index: number): Word[] {
  const found: Word[] = [];
  for (const { 0: part, index: at } of raw.matchAll(/(?:[^,]|(?<=\d),(?=\d))+/g)) {
    const lead = /^(?:[.:@_]|-(?![\d.]|$)|\/(?=$))*/.exec(part)![0].length;
    const kept = part.slice(lead).replace(/[.:_\-/@~]+$/, '');
    if (kept === '') continue;
    const start = index + at + lead;
    found.push({ text: kept, start, end: start + kept.length });
  }
  return found;
}

/** Blanks out times, so that they are not read as figures too. */
function blanked(text: string, times: readonly LocatedTime[]): string {
  let result = '';
  let at = 0;
  for (const { start, end } of times) {
    result += text.slice(at, start) + ' '.repeat(Math.max(0, end - Math.max(start, at)));
    at = Math.max(at, end);
  }
  return result + text.slice(at);
}

/** Returns the name of the field or metric whose value starts here: `duration_ms=1`, `heap_bytes{pod='a'} 1`. */
function fieldBefore(text: string, start: number): string | undefined {
  const before = text.slice(Math.max(0, start - 200), start);
  const [, field, between] =
    /([\p{L}_][\p{L}\p{N}_.-]{0,80})('?(?: ?[:=] ?'?| ?\{[^{}]{0,120}\} ?| ))$/u.exec(before) ?? [];
  return between === ' ' && !field?.includes('_') ? undefined : field;
}

function isAdjacent(text: string, last: Facts['figures'][number], next: number): boolean {
  return /^ ?(?:and |und )?$/.test(text.slice(last.start + last.text.length, next));
}

type Name = Facts['names'][number];
type Quantity = Facts['figures'][number] | Facts['times'][number];

const BOUNDARY =
  /[,;:.!?]? (?:and|but|while|whereas|when|because|since|after|before|which|und|aber|während|weil|et|mais|y|pero|e|ma) |[,;.!?] |: |\n/gi;

/**
 * Pairs the figures and times of a clause with its subject: the first name without a preposition, else the first name.
 * A clause without figures joins the next one (`web-1 and web-2 have 17`); without names, it uses the previous names.
 */
export function pairNamesWithFacts(
  text: string,
  names: readonly Name[],
  quantities: readonly Quantity[],
): { names: string[]; quantities: Quantity[] }[] {
  if (names.length === 0) return [];
  const ends = [...text.matchAll(BOUNDARY)].map(({ index }) => index);
  const clauseAt = (start: number) => ends.filter((end) => end < start).length;
  const clauses = Array.from({ length: ends.length + 1 }, (_, index) => ({
    names: names.filter(({ start }) => clauseAt(start) === index),
    quantities: quantities.filter(({ start }) => clauseAt(start) === index),
  }));
  const pairs: ReturnType<typeof pairNamesWithFacts> = [];
  let pending: Name[] = [];
  let previous: string[] = [];
  for (const clause of clauses) {
    const candidates = [...pending, ...clause.names];
    if (clause.quantities.length === 0) {
      pending = candidates;
      continue;
    }
    pending = [];
    const subject = candidates.length > 0 ? [subjectOf(text, candidates)] : previous;
    pairs.push({ names: subject, quantities: clause.quantities });
    if (candidates.length > 0) previous = candidates.map((name) => name.text);
  }
  // A figure before the first name may belong to any name.
  const all = names.map((name) => name.text);
  return pairs.map((pair) => (pair.names.length > 0 ? pair : { ...pair, names: all }));
}

const PREPOSITION =
  /(?:^| )(?:on|in|at|from|to|by|via|behind|under|of|for|against|within|auf|in|von|bei|aus|für|sur|dans|de|en|pour|su|da) (?:the |den |dem |der |la |le |el )?(?:[\p{L}]+ )?$/iu;

function subjectOf(text: string, names: readonly Name[]): string {
  const subject = names.find(({ start }) => !PREPOSITION.test(text.slice(Math.max(0, start - 32), start)));
  return (subject ?? names[0]!).text;
}
