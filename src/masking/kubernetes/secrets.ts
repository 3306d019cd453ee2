import { applyMasks } from '../masks.ts';
import { aliased, mayRefer } from './aliases.ts';
import { readBlocks } from './block.ts';
import { isMaskedCoarsely, maskCoarsely, maySecretBeIn } from './coarse.ts';
import { findDescribed } from './describe.ts';
import { splitDocuments } from './documents.ts';
import { lineEnd, quoteEnd, readFlow, startsFlow } from './flow.ts';
import { findFolded } from './folded.ts';
import { append, type MapNode, type Range, type Region, type Scalar } from './outline.ts';
import { placeholders, trimmed } from './placeholders.ts';
import { type Quoting, unescapeRange } from './unescape.ts';
import { findSecretData } from './verdict.ts';

/** Levels of strings within strings that are read; deeper ones are masked as a whole. Each level costs a pass. */
const DEEPEST = 6;

/** Minimum length of a string that may contain a Secret (characters). */
const SHORTEST_OPENED = 12;

/** Matches the heading of a Secret's data. Within nested JSON strings, each level doubles the backslashes. */
const HAS_DATA = /(?:data|stringData)[\\"']{0,600}\s{0,40}:|Data[\s\\nr]{1,40}={3,}/;
const WORTH_OPENING = /Secret|stringData|data|={4}/;
/** Matches a line end or an escape, which may split a word. */
const SPLITS_WORDS = /\n|\\[ux]/;
const MENTION =
  /(?:(?<=\\[nrt])|\b)kind[\\"'\s]{0,600}:[\\"'\s]{0,600}(?:!!str\s{1,4})?Secret(?:List)?(?![A-Za-z0-9])/g;

/** Masks the values of Kubernetes Secrets in YAML, JSON, strings, `kubectl describe` output and broken text. */
export function maskKubernetesSecrets(text: string): string {
  if (!mayHold(text)) return text;
  return splitDocuments(text).map(maskDocument).join('');
}

function mayHold(text: string): boolean {
  return (text.includes('Secret') && text.includes('kind')) || HAS_DATA.test(text);
}

/** Masks cleanly read text value by value, and other text that names a Secret as a whole. */
function maskDocument(text: string): string {
  if (!mayHold(text)) return text;
  return applyMasks(text, placeholders(text, maskedIn(text, 0).ranges));
}

/** Returns the ranges to mask. Masks coarsely if possibly secret text was not read cleanly. */
function maskedIn(text: string, depth: number): Analysis {
  if (isMaskedCoarsely(text)) return { kinds: mentionsIn(text), ranges: [], isClean: true };
  const mayBeSecret = maySecretBeIn(text);
  const found = analyse(text, depth, mayBeSecret);
  if (found.isClean && isUnderstood(text, found.kinds)) return found;
  return { kinds: found.kinds, ranges: mayBeSecret ? maskCoarsely(text) : found.ranges, isClean: false };
}

interface Analysis {
  ranges: Range[];
  kinds: number[];
  /** True if the whole text could be read. */
  isClean: boolean;
}

function analyse(text: string, depth: number, mayBeSecret: boolean): Analysis {
  const result: Analysis = { ranges: [], kinds: [], isClean: true };
  const opened = new Set<number>();
  const open: Open = (start, end, quoting) => {
    // Skips strings of a text that is masked coarsely as a whole.
    if (end - start < SHORTEST_OPENED || opened.has(start) || (mayBeSecret && !result.isClean)) return;
    opened.add(start);
    const inner = openString(text, start, end, quoting, depth);
    append(result.ranges, inner.ranges);
    append(result.kinds, inner.kinds);
    result.isClean &&= inner.isClean;
  };
  const handleMaps = (maps: readonly MapNode[]) => {
    for (const { entries } of maps) {
      for (const { scalars } of entries) {
        for (const scalar of scalars) if (scalar.quote !== '') openScalar(text, scalar, open);
      }
    }
    if (!findSecretData(text, maps, result.ranges, result.kinds)) result.isClean = false;
  };
  const folded = findFolded(text);
  /** Mappings that are handled at the end, because others may refer to them or contain them. */
  const kept: MapNode[] = [];
  const refers = mayRefer(text);
  const regions = readRegions(text, folded, kept, open);
  readBlocks(text, regions, folded, (maps) => (refers ? append(kept, maps) : handleMaps(maps)));
  const first = result.ranges.length;
  handleMaps(kept);
  if (refers) append(result.ranges, aliased(text, kept, result.ranges, first));
  for (const region of regions) {
    for (const scalar of region.holder.scalars) openScalar(text, scalar, open);
    result.isClean &&= region.clean;
  }
  append(result.ranges, findDescribed(text));
  return result;
}

type Open = (start: number, end: number, quoting: Quoting) => void;

const QUOTINGS: Readonly<Record<Scalar['quote'], Quoting | null>> = {
  '': null,
  '"': 'double',
  "'": 'single',
  '|': 'plain',
};

function openScalar(text: string, { quote, start, end }: Scalar, open: Open): void {
  const quoting = QUOTINGS[quote];
  if (quoting === null) return;
  // Block lines include the indentation of the first one; otherwise it would seem to be outside the others.
  open(quote === '|' ? text.lastIndexOf('\n', start) + 1 : start, end, quoting);
}

/** Analyses the content of a string like any other text, after resolving its escapes. */
function openString(text: string, start: number, end: number, quoting: Quoting, depth: number): Analysis {
  const raw = text.slice(start, end);
  if (!WORTH_OPENING.test(raw) && !SPLITS_WORDS.test(raw)) return { ranges: [], kinds: [], isClean: true };
  if (depth >= DEEPEST)
    return { ranges: raw.includes('Secret') ? [{ start, end }] : [], kinds: [], isClean: false };
  const inner = unescapeRange(text, start, end, quoting);
  if (!WORTH_OPENING.test(inner.text)) return { ranges: [], kinds: [], isClean: true };
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

/** Reads the outermost bracketed pieces of a text and opens the strings outside them. */
function readRegions(
  text: string,
  folded: ReadonlyMap<number, number>,
  maps: MapNode[],
  open: Open,
): Region[] {
  const regions: Region[] = [];
  const hasEscapes = text.includes('\\');
  const starts = /[{["']|\\[{["nrt]/g;
  for (let hit = starts.exec(text); hit; hit = starts.exec(text)) {
    const at = hit.index;
    if (hit[0].length === 2) continue;
    const foldedEnd = folded.get(at + 1);
    if (foldedEnd !== undefined) {
      open(at + 1, foldedEnd, hit[0] === '"' ? 'double' : 'single');
      starts.lastIndex = foldedEnd + 1;
    } else if (hit[0] === "'" && !opensValue(text, at)) {
      // An apostrophe, not a quote. Searching for the end of each of very many would be slow.
    } else if (hit[0] === '"' || hit[0] === "'") {
      const end = quoteEnd(text, at);
      const inside = end > at ? text.slice(at, end) : '';
      if (WORTH_OPENING.test(inside)) {
        // Single-quoted text has no escapes and is read like the text around it.
        if (hit[0] === "'" || !inside.includes('\\')) continue;
        open(at + 1, end, 'double');
      } else if (end < 0 || !opensValue(text, at)) continue;
      starts.lastIndex = end + 1;
    } else if (hasEscapes && isEscapedFlow(text, at)) {
      const end = lineEnd(text, at);
      open(at, end, 'escaped');
      starts.lastIndex = end;
    } else if (startsFlow(text, at)) {
      const region = readFlow(text, at, maps, folded);
      regions.push(region);
      starts.lastIndex = region.end;
    }
  }
  return regions;
}

/** True if a quote is at the start of a value, so that the next one ends it. */
function opensValue(text: string, at: number): boolean {
  return at === 0 || /[\n:,=[{-][ \t]{0,8}$/.test(text.slice(Math.max(0, at - 9), at));
}

const ESCAPED_FLOW = /[{[](?:\s|[{[]){0,20}\\{1,63}["nrt]/y;

function isEscapedFlow(text: string, at: number): boolean {
  ESCAPED_FLOW.lastIndex = at;
  return ESCAPED_FLOW.test(text);
}

/** True if every mention of a Secret was understood. @param kinds positions of the understood `kind` keys */
function isUnderstood(text: string, kinds: readonly number[]): boolean {
  if (!text.includes('Secret')) return true;
  const understood = new Set(kinds);
  return mentionsIn(text).every((at) => understood.has(at));
}

function mentionsIn(text: string): number[] {
  return Array.from(text.matchAll(MENTION), ({ index }) => index);
}
