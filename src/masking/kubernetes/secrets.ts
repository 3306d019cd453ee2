import { applyMasks, isMaskedWithin, type Mask } from '../masks.ts';
import type { Range } from '../text.ts';
import { unescapedScalar } from '../without-escapes.ts';
import { readOutline } from './block.ts';
import { isMaskedCoarsely, maskCoarsely, maySecretBeIn } from './coarse.ts';
import { findDescribed } from './describe.ts';
import { findSecretData } from './verdict.ts';

const SEPARATOR = /^(?=---[ \t\r]*$)/m;
const ANCHOR = /[:-][ \t]{1,8}&[\w-]/;
const ALIAS = /[:-][ \t]{1,8}\*[\w-]/;

/** Levels of strings within strings that are read, because each costs a pass. Deeper Secrets are masked as a whole. */
const DEEPEST = 6;

/** Matches the key or heading of a Secret's data. Each level of nested JSON strings doubles the backslashes. */
const HAS_DATA = /(?:data|stringData)[\\"']{0,600}\s{0,40}:|Data[\s\\nr]{1,40}={3,}/;
const WORTH_OPENING = /Secret|stringData|data|={4}|\\[ux]|\n/;
const MENTION =
  /(?:(?<=\\[nrt])|\b)kind[\\"'\s]{0,600}:[\\"'\s]{0,600}(?:!!str\s{1,4})?Secret(?:List)?(?![A-Za-z0-9])/g;

/** Masks the values of Kubernetes Secrets in YAML, JSON, strings, `kubectl describe` output and broken text. */
export function maskKubernetesSecrets(text: string): string {
  if (!mayHold(text)) return text;
  // Some YAML readers resolve an alias with another document's anchor.
  const isWhole = text.includes('&') && ANCHOR.test(text) && ALIAS.test(text);
  const documents = isWhole ? [text] : text.split(SEPARATOR);
  return documents
    .map((each) => (mayHold(each) ? applyMasks(each, masksOf(each, secretRanges(each, 0))) : each))
    .join('');
}

function mayHold(text: string): boolean {
  return (text.includes('Secret') && text.includes('kind')) || HAS_DATA.test(text);
}

/** Returns the values to mask; all words of the text if it may contain a Secret and was not read cleanly. */
function secretRanges(text: string, depth: number): Range[] {
  if (isMaskedCoarsely(text)) return [];
  const mayBeSecret = maySecretBeIn(text);
  const outline = readOutline(text, mayBeSecret);
  if (mayBeSecret && !outline.isClean) return maskCoarsely(text);
  const { ranges, kinds, isClean } = findSecretData(text, outline.maps);
  const handled: Range[] = [...ranges];
  for (const string of outline.strings) {
    const raw = text.slice(string.start, string.end);
    if (!WORTH_OPENING.test(raw)) continue;
    handled.push(string);
    if (depth >= DEEPEST) {
      if (raw.includes('Secret')) ranges.push(string);
      continue;
    }
    const inner = unescapedScalar(text, string);
    if (!mayHold(inner.text)) continue;
    for (const range of secretRanges(inner.text, depth + 1)) {
      const value = trimmed(inner.text, range);
      if (value) ranges.push({ start: inner.startOf(value.start), end: inner.endOf(value.end) });
    }
  }
  for (const range of findDescribed(text)) ranges.push(range);
  return !mayBeSecret || (isClean && isUnderstood(text, kinds, handled)) ? ranges : maskCoarsely(text);
}

/** True if every `kind: Secret` in the text was read as a key of an object, or is in a string that was read apart. */
function isUnderstood(text: string, kinds: ReadonlySet<number>, handled: readonly Range[]): boolean {
  const sorted = handled.toSorted((a, b) => a.start - b.start);
  let next = 0;
  let end = -1;
  for (const { index } of text.matchAll(MENTION)) {
    for (; next < sorted.length && sorted[next]!.start <= index; next++)
      end = Math.max(end, sorted[next]!.end);
    if (index >= end && !kinds.has(index)) return false;
  }
  return true;
}

const REPLACEMENT = '[MASKED_SECRET_DATA]';
const LONGEST_GAP = 200;
const LONGEST_NOTHING = 100;
const NOTHING = /^(?:null|~|[|>][+-]?|[\\"'{}[\],#]{1,100})$/;

/** Returns the masks of the ranges. Consecutive lines become one mask, so that a value gets one placeholder. */
function masksOf(text: string, ranges: readonly Range[]): Mask[] {
  const masks: Mask[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const value = trimmed(text, range);
    const last = masks.at(-1);
    if (value === null) continue;
    if (last && value.start >= last.end && isLineEnd(text, last.end, value.start)) last.end = value.end;
    else masks.push({ ...value, replacement: REPLACEMENT });
  }
  return masks;
}

/** Returns a range without the blanks and `#` around its value; `null` if nothing in the range needs masking. */
function trimmed(text: string, range: Range): Range | null {
  let { start, end } = range;
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  if (text[start] === '#' && end > start + 1) start++;
  while (start < end && isBlank(text, start)) start++;
  if (start === end) return null;
  const value = text.slice(start, end);
  if ((end - start <= LONGEST_NOTHING && NOTHING.test(value)) || isMaskedWithin(value)) return null;
  return { start, end };
}

/** True for exactly one line end with indentation. Two do not count, because an empty line may end an object. */
function isLineEnd(text: string, start: number, end: number): boolean {
  return end - start <= LONGEST_GAP && /^\r?\n[^\S\n]*$/.test(text.slice(start, end));
}

/** True for white space. Checks the code first, because most characters are ASCII and need no regex. */
function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code <= 32 || (code > 127 && /\s/.test(text[at]!));
}
