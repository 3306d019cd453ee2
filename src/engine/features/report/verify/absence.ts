import { type CallScope, durationOf, wordsOf } from './call-scope.ts';
import { findWhole, fold, isNamed, keyWords } from './names.ts';
import { normalizedString } from './normalize-text.ts';
import type { ProblemCode } from './problems.ts';
import { extractTimes, type LocatedTime } from './times.ts';
import type { ClaimedFact, ToolOutput } from './types.ts';

export interface AbsencePlace {
  output: ToolOutput;
  scope: CallScope;
  /** Normalized quote. */
  passage: string;
  /** Text of the claim, which may name further conditions of the search. */
  sentence: string;
}

export interface AbsenceProblem {
  code: ProblemCode;
  pieces: string[];
}

/**
 * Returns why an output does not prove a claimed absence. `null` if it does: its complete text says that
 * there is nothing, and its call looked for exactly what the fact names.
 */
export function findAbsenceProblem(fact: ClaimedFact, place: AbsencePlace): AbsenceProblem | null {
  const { output, scope, passage } = place;
  const problem = (code: ProblemCode, ...pieces: string[]) => ({ code, pieces });
  if (!isEmptyAnswer(passage, output)) return problem('ABSENCE_NOT_SAID');
  if (isPartial(output.text)) return problem('ABSENCE_OUTPUT_CUT');
  if (scope.excludes) return problem('ABSENCE_NOT_LOOKED_FOR', fact.subject);
  const missing = unsearched(fact, place);
  if (missing.length > 0) return problem('ABSENCE_NOT_LOOKED_FOR', ...missing);
  const narrower = scope.conditions.filter((condition) => !isMentioned(condition, fact, place));
  if (narrower.length > 0) return problem('ABSENCE_NARROWER', ...narrower);
  return isInWindow(fact.window, scope) ? null : problem('ABSENCE_OTHER_WINDOW', fact.window ?? '');
}

const NOTHING =
  /(?<![\p{L}\p{N}_-])(?:no|none|nothing|zero|empty)(?![\p{L}\p{N}_-])|not ?found|no such|not exist|NXDOMAIN|\[ ?\]|\{ ?\}|(?<![\d.,%/-]|\d:)0(?![\d.,:%/-]*\d|%)|'(?:found|exists)' ?: ?false/iu;

/** Maximum length of an answer that says that there is nothing (UTF-16 code units). */
const MAX_EMPTY = 4000;
const MAX_LINES = 12;

function isEmptyAnswer(passage: string, { text, succeeded, notFound }: ToolOutput): boolean {
  if (notFound) return true;
  const lines = text.trim().split('\n').length;
  const isListing = /\[\s*\{/.test(text);
  return (
    succeeded &&
    NOTHING.test(passage) &&
    text.length <= MAX_EMPTY &&
    (lines <= MAX_LINES || text.trim().startsWith('{')) &&
    !isListing
  );
}

/**
 * Matches fields such as `'truncated': false`, because their names must not make an answer count as partial.
 */
const NOT_SO =
  /'[\w.]+' ?: ?(?:false|0|null|''|\[ ?\])(?=[,}\s]|$)|'total' ?: ?(\d+), ?'successful' ?: ?\1(?!\d)/g;
const PARTIAL =
  /truncat|shorten|\bcut\b|\bcontinue|remaining|incomplete|partial|next.?(?:token|page|cursor)|cursor|more'|--more--|next'|so far|up to here|this (?:page|chunk|part)|part below|limit.{0,12}reach|not shown|time[d ]?[ _-]?out|forbidden|denied|permission|warning|sampled|preview|progress|running|skipped|showing|exceeded|content-range|'gte'|\blast \d|'failed' ?: ?\d|'total(?:_?count)?' ?: ?[1-9]/i;

/** True if an answer says that it is incomplete. */
export function isPartial(text: string): boolean {
  const normalized = normalizedString(text).toLowerCase();
  if (/complete\w*' ?: ?'?false/.test(normalized) || PARTIAL.test(normalized.replace(NOT_SO, ' ')))
    return true;
  const counts = [...normalized.matchAll(/\b(\d+) (?:of|out of) (\d+)\b/g)];
  if (counts.some(([, some, all]) => Number(some) < Number(all))) return true;
  const totals = [...normalized.matchAll(/'total(\w+)' ?: ?(\d+)/g)];
  return totals.some(([, noun, all]) =>
    [...normalized.matchAll(new RegExp(`'(?!total)[a-z]+${noun}' ?: ?(\\d+)`, 'g'))].some(
      ([, some]) => Number(some) < Number(all),
    ),
  );
}

/** Returns the words of the subject and the filter that the call did not look for. */
function unsearched({ subject, filter }: ClaimedFact, { scope, passage }: AbsencePlace): string[] {
  const quoted = new Set(wordsOf(passage));
  const isSearched = (word: string): boolean =>
    isWord(word) || (/^[^:]+:[^:]+$/.test(word) && word.split(':').every(isWord));
  const isWord = (word: string) =>
    scope.terms.has(word) || hasSameStem(word, scope.terms) || (quoted.has(word) && !/\d/.test(word));
  const names = wordsOf(subject).filter(
    (word) => !isSearched(word) && !isPartOf(word, subject) && !scope.words.includes(keyWords(word).join()),
  );
  const asked = wordsOf(filter ?? '');
  const others = asked.filter(
    (word) =>
      !scope.terms.has(word) &&
      !word.split(':').every((part) => scope.terms.has(part)) &&
      !isPartOf(word, filter!) &&
      !isKey(word, asked, scope),
  );
  return [...names, ...others];
}

/**
 * True if the word is only a part of a longer word in the text, such as `api` of `pod/api`. The longer word
 * is checked itself.
 */
const isPartOf = (word: string, text: string) =>
  !fold(text)
    .split(/[\s'"=,{}()]+/)
    .includes(word);

function hasSameStem(word: string, terms: ReadonlySet<string>): boolean {
  return word.length > 2 && (terms.has(`${word}s`) || terms.has(word.replace(/s$/, '')));
}

/** True for the name of an argument or label whose value the filter names, too. */
function isKey(word: string, asked: readonly string[], { fields }: CallScope): boolean {
  const others = asked.filter((other) => other !== word);
  return fields.some(({ key, value }) => {
    if (fold(key) === word) return wordsOf(value).some((part) => others.includes(part));
    return others.some((other) => fold(value).includes(`${word}='${other}'`));
  });
}

function isMentioned(
  condition: string,
  { subject, filter, window }: ClaimedFact,
  { sentence }: AbsencePlace,
): boolean {
  const said = [subject, filter ?? '', window ?? '', sentence];
  if (said.some((text) => findWhole(text, condition).length > 0)) return true;
  return said.some((text) => wordsOf(text).some((word) => word.length > 1 && isNamed(condition, word)));
}

/**
 * True if the claimed time window lies within the window of the call. If the fact claims no window, the call
 * must have none either.
 */
function isInWindow(claimed: string | null, scope: CallScope): boolean {
  const { from, to, span } = scope.window;
  if (claimed === null) return from === null && to === null && span === null;
  const text = normalizedString(claimed);
  const length = durationOf(text.replace(/^(?:the )?(?:last|past) /i, ''));
  const range = spanOf(from, to);
  if (length !== null) return length <= (span ?? (range ? (range.to - range.from) / 1000 : 0));
  const times = extractTimes(text);
  if (
    /[^\s\d:.,/-]/.test(
      times
        .reduce((rest, time) => rest.replace(time.text, ''), text)
        .replace(/\b(?:from|to|until|between|and|on|at|UTC)\b/gi, ''),
    )
  )
    return false;
  if (times.length === 1 && times[0]!.clock === null) return isOnDay(times[0]!, scope, range);
  if (times.length !== 2 || range === null) return false;
  const [begin, end] = [
    instantOf(times[0]!, range.from),
    instantOf(times[1]!, times[0]!.date ? instantOf(times[0]!, range.from) : range.from),
  ];
  return range.from <= begin && begin <= end && end <= range.to;
}

function isOnDay(
  day: LocatedTime,
  { conditions }: CallScope,
  range: { from: number; to: number } | null,
): boolean {
  if (conditions.some((condition) => condition === day.text)) return true;
  const begin = instantOf(day, 0);
  return range !== null && range.from <= begin && begin + 86_400_000 <= range.to + 1000;
}

function spanOf(from: string | null, to: string | null): { from: number; to: number } | null {
  const [begin, end] = [from, to].map((text) =>
    text === null ? undefined : extractTimes(normalizedString(text))[0],
  );
  if (!begin?.date || !end) return null;
  const start = instantOf(begin, 0);
  return { from: start, to: instantOf(end, start) };
}

/** Returns a time in milliseconds. A time without a date is on the day of `near`; zones are not converted. */
function instantOf({ date, clock }: LocatedTime, near: number): number {
  const base = new Date(near);
  const [hours = 0, minutes = 0, seconds = 0] = (clock ?? '0:0').split(':').map(Number);
  const [year, month, day] = date
    ? [date.year ?? base.getUTCFullYear(), date.month - 1, date.day]
    : [base.getUTCFullYear(), base.getUTCMonth(), base.getUTCDate()];
  return Date.UTC(year, month, day, hours, minutes, seconds);
}
