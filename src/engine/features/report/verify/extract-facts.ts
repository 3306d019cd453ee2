import { bare, type Figure, figuresOf, inUnit, joined, numberNamed } from './extract-figures.ts';
import { formsOf, isName, isThing } from './extract-names.ts';
import { type PlacedTime, timeOfEpoch, timesIn } from './extract-times.ts';
import { unitNamed, unitOfField } from './units.ts';

/** What can be compared in a text that was folded, each with its place in it. */
export interface Facts {
  times: PlacedTime[];
  figures: (Figure & { start: number })[];
  names: { text: string; start: number }[];
}

interface Word {
  text: string;
  start: number;
  end: number;
}

/** The words of a text: apart where white space, brackets, quotation marks or another script are. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]+|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])[^\s'()[\]{}<>=|;!?*&#\\^])+/gu;

/** Reads what a claim says. @param text folded */
export function factsOf(text: string): Facts {
  const times = timesIn(text);
  const figures: Facts['figures'] = [];
  const names: Facts['names'] = [];
  const all = wordsOf(blanked(text, times));
  for (let at = 0; at < all.length; at++) {
    const { text: word, start, end } = all[at]!;
    const next = all[at + 1];
    const close = next && next.start - end <= 1 ? unitWord(next.text) : null;
    const isVersion =
      /^v?\d+\.\d/.test(word) && VERSION_BEFORE.test(text.slice(Math.max(0, start - 24), start));
    const read = isVersion ? NONE : figuresOf(word, close);
    if (read.figures.length > 0) {
      const field = read.figures.length === 1 && !read.tookNext ? fieldBefore(text, start) : undefined;
      for (const figure of read.figures) {
        const unit = field === undefined ? undefined : unitOfField(field);
        const last = figures.at(-1);
        const whole = last && isBesides(text, last, start) ? joined(last, figure) : null;
        if (whole) figures[figures.length - 1] = { ...whole, start: last!.start };
        else figures.push({ ...(unit ? inUnit(figure, unit) : figure), start });
      }
      if (read.tookNext) at += 1;
      continue;
    }
    const value = numberNamed(word);
    if (value !== undefined) {
      const spelled = close === null ? { figures: [], tookNext: false } : figuresOf(String(value), close);
      figures.push({ ...(spelled.tookNext ? spelled.figures[0]! : bare(String(value), word)), start });
      if (spelled.tookNext) at += 1;
    } else if (isVersion || isName(word)) names.push({ text: word, start });
  }
  return { times, figures, names };
}

/** A word as a unit: where words are not parted by blanks, its beginning. */
function unitWord(word: string): string {
  if (!/^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(word)) return word;
  return [3, 2, 1].map((length) => word.slice(0, length)).find((unit) => unitNamed(unit)) ?? word;
}

const NONE = { figures: [], tookNext: false };
const VERSION_BEFORE =
  /(?:version|release|tag|Version|Release|Kubernetes|PostgreSQL|Postgres|Python|Node|Java|Go|OpenSSL|Redis|nginx) $/;

/** What a text has to show: facts, and every form of every token. */
export interface Shown {
  times: readonly PlacedTime[];
  figures: readonly Figure[];
  names: ReadonlySet<string>;
  /** Folded. */
  text: string;
}

/** Reads a piece of an output, or the arguments of a call. @param text folded */
export function shownIn(text: string): Shown {
  const facts = factsOf(text);
  const names = new Set<string>();
  const figures: Figure[] = [...facts.figures];
  const times = [...facts.times];
  for (const { text: word } of wordsOf(text)) {
    const cells = word.includes(',') ? word.split(',') : [];
    for (const form of [...formsOf(word), ...cells.flatMap(formsOf)]) {
      names.add(form);
      if (form !== word) figures.push(...figuresOf(form, null).figures);
    }
    const epoch = timeOfEpoch(word);
    if (epoch) times.push({ ...epoch, start: 0, end: 0 });
  }
  return { times, figures, names, text };
}

/**
 * Lines that each name something and say a figure or time of it, such as rows of tables and logs: what stands in one is not said of
 * another's name. Null when there are not several of them: fields below one another belong together.
 * @param lines folded
 */
export function apartIn(lines: readonly string[]): Shown[] | null {
  const shown = lines.map(shownIn);
  const complete = lines.filter((line, index) => {
    const { figures, times } = shown[index]!;
    return figures.length + times.length > 0 && factsOf(line).names.some(({ text }) => isThing(text));
  });
  return complete.length > 1 ? shown : null;
}

function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: raw, index }) => withoutEdges(raw, index));
}

/** Cuts at commas that part no thousands and at punctuation of sentences; a dash, dot or slash at an edge belongs to no name. */
function withoutEdges(raw: string, index: number): Word[] {
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

/** Times are read as such alone, not as figures too. */
function blanked(text: string, times: readonly PlacedTime[]): string {
  let result = '';
  let at = 0;
  for (const { start, end } of times) {
    result += text.slice(at, start) + ' '.repeat(Math.max(0, end - Math.max(start, at)));
    at = Math.max(at, end);
  }
  return result + text.slice(at);
}

/** The field or metric whose value begins here: `'memory_bytes': 1`, `duration_ms=1`, `heap_bytes{pod='a'} 1`. */
function fieldBefore(text: string, start: number): string | undefined {
  const before = text.slice(Math.max(0, start - 200), start);
  const [, field, between] =
    /([\p{L}_][\p{L}\p{N}_.-]{0,80})('?(?: ?[:=] ?'?| ?\{[^{}]{0,120}\} ?| ))$/u.exec(before) ?? [];
  return between === ' ' && !field?.includes('_') ? undefined : field;
}

function isBesides(
  text: string,
  { start, text: written }: { start: number; text: string },
  next: number,
): boolean {
  return /^ ?(?:and |und )?$/.test(text.slice(start + written.length, next));
}

type Named = Facts['names'][number];

type Said = Facts['figures'][number] | Facts['times'][number];

/** Figures and times, and the names that they may be said of: one of them is. */
interface Pair {
  of: string[];
  said: Said[];
}

const BOUNDARY =
  /[,;:.!?]? (?:and|but|while|whereas|when|because|since|after|before|which|und|aber|während|weil|et|mais|y|pero|e|ma) |[,;.!?] |: |\n/gi;

/**
 * What a claim says of what. A figure is said of the subject of its clause: its first name that does not follow a preposition, else its
 * first. A clause without a figure belongs to the next one (`web-1 and web-2 have 17`), one without a name to the names before it.
 * @param things names in the order of the text @param said figures and times
 */
export function clausesOf(text: string, things: readonly Named[], said: readonly Said[]): Pair[] {
  if (things.length === 0) return [];
  const ends = [...text.matchAll(BOUNDARY)].map(({ index }) => index);
  const clauseAt = (start: number) => ends.filter((end) => end < start).length;
  const clauses = Array.from({ length: ends.length + 1 }, (_, index) => ({
    names: things.filter(({ start }) => clauseAt(start) === index),
    said: said.filter(({ start }) => clauseAt(start) === index),
  }));
  const pairs: Pair[] = [];
  let waiting: Named[] = [];
  let before: string[] = [];
  for (const clause of clauses) {
    const names = [...waiting, ...clause.names];
    if (clause.said.length === 0) {
      waiting = names;
      continue;
    }
    waiting = [];
    const of = names.length > 0 ? subjectsOf(text, names) : before;
    pairs.push({ of, said: clause.said });
    if (names.length > 0) before = names.map((name) => name.text);
  }
  // Nothing was named before it: what is named behind it.
  return pairs.map((pair) => (pair.of.length > 0 ? pair : { ...pair, of: things.map((name) => name.text) }));
}

const PREPOSITION =
  /(?:^| )(?:on|in|at|from|to|by|via|behind|under|of|for|against|within|auf|in|von|bei|aus|für|sur|dans|de|en|pour|su|da) (?:the |den |dem |der |la |le |el )?(?:[\p{L}]+ )?$/iu;

function subjectsOf(text: string, names: readonly Named[]): string[] {
  const subject = names.find(({ start }) => !PREPOSITION.test(text.slice(Math.max(0, start - 32), start)));
  return [(subject ?? names[0]!).text];
}
