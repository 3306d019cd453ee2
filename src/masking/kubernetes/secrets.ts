import { applyMasks } from '../masks.ts';
import { lineEnd, matchEnd } from '../text.ts';
import { aliased } from './aliases.ts';
import { readBlocks } from './block.ts';
import { isMaskedCoarsely, maskCoarsely, maySecretBeIn } from './coarse.ts';
import { findDescribed } from './describe.ts';
import { quoteEnd, readFlow, startsFlow } from './flow.ts';
import { findFolded } from './folded.ts';
import { append, type MapNode, type Region, type Scalar } from './outline.ts';
import { placeholders, trimmed } from './placeholders.ts';
import { unescapeScalar } from './unescape.ts';
import { type Finding, findSecretData } from './verdict.ts';

const SEPARATOR = /^(?=---[ \t\r]*$)/m;
const ANCHOR = /[:-][ \t]{1,8}&[\w-]/;
const ALIAS = /[:-][ \t]{1,8}\*[\w-]/;
const ESCAPED_FLOW = /[{[](?:\s|[{[]){0,20}\\{1,63}["nrt]/y;

/** Levels of strings within strings that are read, because each costs a pass. Deeper Secrets are masked as a whole. */
const DEEPEST = 6;

const SHORTEST_OPENED = 12;

/** Matches the key or heading of a Secret's data. Each level of nested JSON strings doubles the backslashes. */
const HAS_DATA = /(?:data|stringData)[\\"']{0,600}\s{0,40}:|Data[\s\\nr]{1,40}={3,}/;
const WORTH_OPENING = /Secret|stringData|data|={4}/;
const SPLITS_WORDS = /\n|\\[ux]/;
const MENTION =
  /(?:(?<=\\[nrt])|\b)kind[\\"'\s]{0,600}:[\\"'\s]{0,600}(?:!!str\s{1,4})?Secret(?:List)?(?![A-Za-z0-9])/g;

/** Masks the values of Kubernetes Secrets in YAML, JSON, strings, `kubectl describe` output and broken text. */
export function maskKubernetesSecrets(text: string): string {
  if (!mayHold(text)) return text;
  return splitDocuments(text).map(maskDocument).join('');
}

/**
 * Splits a YAML stream into documents, so that an open bracket or quote affects only one. Text with aliases is not
 * split, because some YAML readers resolve an alias with another document's anchor.
 */
function splitDocuments(text: string): string[] {
  return mayRefer(text) && ANCHOR.test(text) && ALIAS.test(text) ? [text] : text.split(SEPARATOR);
}

function mayHold(text: string): boolean {
  return (text.includes('Secret') && text.includes('kind')) || HAS_DATA.test(text);
}

function mayRefer(text: string): boolean {
  return text.includes('&') && text.includes('*');
}

/** Masks a document: value by value if read cleanly, else coarsely if the document may contain a Secret. */
function maskDocument(text: string): string {
  if (!mayHold(text)) return text;
  return applyMasks(text, placeholders(text, maskedIn(text, 0).ranges));
}

/** Returns the ranges to mask, which are coarse if the text may contain a Secret and was not read cleanly. */
function maskedIn(text: string, depth: number): Finding {
  if (isMaskedCoarsely(text)) return { kinds: mentionsIn(text), ranges: [], isClean: true };
  const mayBeSecret = maySecretBeIn(text);
  const found = analyse(text, depth, mayBeSecret);
  if (found.isClean && isUnderstood(text, found.kinds)) return found;
  return { kinds: found.kinds, ranges: mayBeSecret ? maskCoarsely(text) : found.ranges, isClean: false };
}

function analyse(text: string, depth: number, mayBeSecret: boolean): Finding {
  const result: Finding = { ranges: [], kinds: [], isClean: true };
  const add = ({ ranges, kinds, isClean }: Finding) => {
    append(result.ranges, ranges);
    append(result.kinds, kinds);
    result.isClean &&= isClean;
  };
  const opened = new Set<number>();
  const open = (scalar: Scalar) => {
    const { quote, end } = scalar;
    if (quote === '') return;
    // Includes the first line's indentation; otherwise this line would seem less indented than the others.
    const start = quote === '|' ? text.lastIndexOf('\n', scalar.start) + 1 : scalar.start;
    // Skips short and known strings, and all strings once the whole text must be masked coarsely.
    if (end - start < SHORTEST_OPENED || opened.has(start) || (mayBeSecret && !result.isClean)) return;
    opened.add(start);
    add(openString(text, { start, end, quote }, depth));
  };
  const handleMaps = (maps: readonly MapNode[]) => {
    for (const { entries } of maps) for (const { scalars } of entries) scalars.forEach(open);
    add(findSecretData(text, maps));
  };
  const folded = findFolded(text);
  const { regions, strings } = readRegions(text, folded);
  strings.forEach(open);
  /** Mappings that are handled last, because aliases may refer to them or block mappings may contain them. */
  const kept = regions.flatMap(({ maps }) => maps);
  const groups = readBlocks(text, regions, folded);
  const refers = mayRefer(text);
  if (refers) append(kept, groups.flat());
  else groups.forEach(handleMaps);
  const first = result.ranges.length;
  handleMaps(kept);
  if (refers) append(result.ranges, aliased(text, kept, result.ranges.slice(first)));
  for (const region of regions) {
    region.holder.scalars.forEach(open);
    result.isClean &&= region.clean;
  }
  append(result.ranges, findDescribed(text));
  return result;
}

function openString(text: string, scalar: Scalar, depth: number): Finding {
  const { start, end } = scalar;
  const raw = text.slice(start, end);
  const nothing = { ranges: [], kinds: [], isClean: true };
  if (!WORTH_OPENING.test(raw) && !SPLITS_WORDS.test(raw)) return nothing;
  if (depth >= DEEPEST)
    return { ranges: raw.includes('Secret') ? [{ start, end }] : [], kinds: [], isClean: false };
  const inner = unescapeScalar(text, scalar);
  if (!WORTH_OPENING.test(inner.text)) return nothing;
  const { ranges, kinds, isClean } = maskedIn(inner.text, depth + 1);
  return {
    ranges: ranges
      .map((range) => trimmed(inner.text, range))
      .filter((range) => range !== null)
      .map((range) => ({ start: inner.startOf(range.start), end: inner.endOf(range.end) })),
    kinds: kinds.map(inner.startOf),
    isClean,
  };
}

function readRegions(
  text: string,
  folded: ReadonlyMap<number, number>,
): { regions: Region[]; strings: Scalar[] } {
  const regions: Region[] = [];
  const strings: Scalar[] = [];
  const hasEscapes = text.includes('\\');
  const starts = /[{["']|\\[{["nrt]/g;
  for (let hit = starts.exec(text); hit; hit = starts.exec(text)) {
    const { index: at, 0: sign } = hit;
    if (sign.length === 2) continue;
    const foldedEnd = folded.get(at + 1);
    if (foldedEnd !== undefined) {
      strings.push({ start: at + 1, end: foldedEnd, quote: sign as '"' | "'" });
      starts.lastIndex = foldedEnd + 1;
    } else if (sign === "'" && !opensValue(text, at)) {
      // An apostrophe, not a quote. No end is searched, which would be slow for very many apostrophes.
    } else if (sign === '"' || sign === "'") {
      const end = quoteEnd(text, at);
      const inside = end > at ? text.slice(at, end) : '';
      if (WORTH_OPENING.test(inside)) {
        // A string without escapes is not opened, because its content is read like the text around it.
        if (sign === "'" || !inside.includes('\\')) continue;
        strings.push({ start: at + 1, end, quote: sign });
      } else if (end < 0 || !opensValue(text, at)) continue;
      starts.lastIndex = end + 1;
    } else if (hasEscapes && matchEnd(ESCAPED_FLOW, text, at) >= 0) {
      const end = lineEnd(text, at);
      strings.push({ start: at, end, quote: '\\' });
      starts.lastIndex = end;
    } else if (startsFlow(text, at)) {
      const region = readFlow(text, at, folded);
      regions.push(region);
      starts.lastIndex = region.end;
    }
  }
  return { regions, strings };
}

/** True if the quote at a position starts a value, so that the next quote ends the value. */
function opensValue(text: string, at: number): boolean {
  return at === 0 || /[\n:,=[{-][ \t]{0,8}$/.test(text.slice(Math.max(0, at - 9), at));
}

/** True if every `kind: Secret` in the text was read as a key. @param kinds positions of the `kind` keys read */
function isUnderstood(text: string, kinds: readonly number[]): boolean {
  if (!text.includes('Secret')) return true;
  const understood = new Set(kinds);
  return mentionsIn(text).every((at) => understood.has(at));
}

function mentionsIn(text: string): number[] {
  return Array.from(text.matchAll(MENTION), ({ index }) => index);
}
