import { applyMasks } from '../masks.ts';
import { readBlocks } from './block.ts';
import { findCoarsely, findWhole, nextSeparator, readDocument } from './coarse.ts';
import { findDescribed } from './describe.ts';
import { splitDocuments } from './documents.ts';
import { quoteEnd, readFlow, startsFlow } from './flow.ts';
import { findFolded } from './folded.ts';
import { append, type MapNode, type Range, type Region, type Scalar } from './outline.ts';
import { isWord, placeholders } from './placeholders.ts';
import { type Quoting, unescapeRange } from './unescape.ts';
import { judge } from './verdict.ts';

/** Strings within strings that are opened; what is deeper is masked as a whole. Each level costs a pass. */
const DEEPEST = 6;

/** Shorter strings hold no Secret (characters). */
const SHORTEST_OPENED = 12;

/** What stands around a name in JSON within strings: each level doubles the backslashes. */
const HAS_DATA = /(?:data|stringData)[\\"']{0,600}\s{0,40}:|Data[\s\\nr]{1,40}={3,}/;
const WORTH_OPENING = /Secret|stringData|data|={4}/;
/** A line's end or an escape, which may stand in the middle of a word. */
const SPLITS_WORDS = /\n|\\[ux]/;
const MENTION =
  /(?:(?<=\\[nrt])|\b)kind[\\"'\s]{0,600}:[\\"'\s]{0,600}(?:!!str\s{1,4})?Secret(?:List)?(?![A-Za-z0-9])/g;

/**
 * Mentions of Secrets that no reading accounts for; with more of them a text is too damaged to be read, and what may
 * hold data is masked as a whole.
 */
const MOST_MISSED = 2_000;

/** Passes over broken text, until one finds nothing more: what was masked lets the rest be read better. */
const MOST_PASSES = 8;

/** Masks the values of Kubernetes Secrets in text of any form: YAML, JSON, within strings, as kubectl describes them, broken. */
export function maskKubernetesSecrets(text: string): string {
  if (!mayHold(text)) return text;
  const documents: (Masked & { isBehindTorn: boolean })[] = [];
  for (const document of splitDocuments(text)) {
    const isBehindTorn = documents.at(-1)?.isTorn ?? false;
    documents.push({ ...maskDocument(document, isBehindTorn), isBehindTorn });
  }
  // The data of a Secret that has none may have ended up beyond a separator: the next one, or the one before.
  return documents
    .map(({ text: masked, isBehindTorn }, at) =>
      !isBehindTorn && documents[at + 1]?.isTorn ? maskDocument(masked, true).text : masked,
    )
    .join('');
}

interface Masked {
  text: string;
  /** There is a Secret without data in it. */
  isTorn: boolean;
}

function mayHold(text: string): boolean {
  return (text.includes('Secret') && text.includes('kind')) || HAS_DATA.test(text);
}

/** @param isTorn the data in it may belong to a Secret outside */
function maskDocument(text: string, isTorn: boolean): Masked {
  let masked = text;
  let lacksData = false;
  for (let pass = 0; pass < MOST_PASSES && mayHold(masked); pass++) {
    const { ranges, isBroken, isTorn: isTornHere } = findSecrets(masked, isTorn);
    lacksData ||= isTornHere;
    const before = masked;
    const masks = placeholders(before, ranges);
    masked = applyMasks(before, masks);
    if (!isBroken || masked === before || masks.every((mask) => isWord(before, mask))) break;
  }
  return { text: masked, isTorn: lacksData };
}

function findSecrets(text: string, torn: boolean): Omit<Analysis, 'kinds'> {
  const { ranges, kinds, isBroken, isTorn } = analyse(text, 0, torn);
  const missed = missedMentions(text, kinds);
  if (missed.length > MOST_MISSED) {
    append(ranges, findWhole(text, missed, isBroken || HAS_DATA.test(text)));
    return { ranges, isBroken: false, isTorn };
  }
  if (missed.length > 0) append(ranges, findCoarsely(text, openLines(text, missed, ranges)));
  return { ranges, isBroken: isBroken || missed.length > 0, isTorn };
}

interface Analysis {
  ranges: Range[];
  kinds: number[];
  /** Something could be read in part only. */
  isBroken: boolean;
  /** There is a Secret without data, which may be elsewhere. */
  isTorn: boolean;
}

function analyse(text: string, depth: number, isTorn = false): Analysis {
  const maps: MapNode[] = [];
  const result: Analysis = { ranges: [], kinds: [], isBroken: false, isTorn: false };
  const opened = new Set<number>();
  const open: Open = (start, end, quoting) => {
    if (end - start < SHORTEST_OPENED || opened.has(start)) return;
    opened.add(start);
    const inner = openString(text, start, end, quoting, depth);
    append(result.ranges, inner.ranges);
    append(result.kinds, inner.kinds);
    result.isBroken ||= inner.isBroken;
  };
  const folded = findFolded(text);
  const regions = readRegions(text, folded, maps, open);
  readBlocks(text, regions, folded, maps);
  for (const { entries } of maps) {
    for (const { scalars } of entries) {
      for (const scalar of scalars) if (scalar.quote !== '') openScalar(text, scalar, open);
    }
  }
  const namesSecret = text.includes('Secret');
  let read = 0;
  for (const region of regions) {
    for (const scalar of region.holder.scalars) openScalar(text, scalar, open);
    if (region.end <= read || region.clean) continue;
    if (!/Secret|stringData/.test(text.slice(region.start, region.end))) {
      result.isBroken ||= namesSecret;
      continue;
    }
    const end = brokenEnd(text, region);
    readDocument(text, Math.max(region.start, read), end, result.ranges);
    read = Math.max(read, end);
    result.isBroken = true;
  }
  const verdict = judge(text, maps, isTorn, result.ranges, result.kinds);
  result.isTorn = verdict.isTorn;
  result.isBroken ||= verdict.isBroken;
  append(result.ranges, findDescribed(text));
  return result;
}

/** How far a broken piece may reach: what follows its last bracket on the same line may belong to it. */
function brokenEnd(text: string, { end }: Region): number {
  const eol = text.indexOf('\n', end);
  const rest = text.slice(end, eol < 0 ? text.length : eol).trim();
  return rest === '' ? end : nextSeparator(text, end);
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
  // Lines as they are need the indentation of the first one too, or it would seem to be outside the others.
  open(quote === '|' ? text.lastIndexOf('\n', start) + 1 : start, end, quoting);
}

/** Looks into a string: what it says is text like any other, once its escapes are resolved. */
function openString(text: string, start: number, end: number, quoting: Quoting, depth: number): Analysis {
  const nothing: Analysis = { ranges: [], kinds: [], isBroken: false, isTorn: false };
  const raw = text.slice(start, end);
  if (!WORTH_OPENING.test(raw) && !SPLITS_WORDS.test(raw)) return nothing;
  if (depth >= DEEPEST) {
    return { ...nothing, ranges: /Secret/.test(raw) ? [{ start, end }] : [], isBroken: true };
  }
  const inner = unescapeRange(text, start, end, quoting);
  if (!WORTH_OPENING.test(inner.text)) return nothing;
  const { ranges, kinds, isBroken, isTorn } = analyse(inner.text, depth + 1);
  // A name that is whole within the string only: nobody else can miss it.
  if (SPLITS_WORDS.test(raw)) {
    const missed = missedMentions(inner.text, kinds);
    append(ranges, findCoarsely(inner.text, missed));
  }
  return {
    isTorn,
    ranges: ranges.map((range) => ({ start: inner.origin(range.start), end: inner.origin(range.end) })),
    kinds: kinds.map((at) => inner.origin(at)),
    isBroken,
  };
}

/** Reads all bracketed pieces of a text that are not within each other, and opens the strings outside them. */
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
      // An apostrophe. Looked after for each of very many, its end would be far away.
    } else if (hit[0] === '"' || hit[0] === "'") {
      const end = quoteEnd(text, at);
      const inside = end > at ? text.slice(at, end) : '';
      if (WORTH_OPENING.test(inside)) {
        // What is in single quotes stands there as it is, and is read like the text around it.
        if (hit[0] === "'" || !inside.includes('\\')) continue;
        open(at + 1, end, 'double');
      } else if (end < 0 || !opensValue(text, at)) continue;
      starts.lastIndex = end + 1;
    } else if (hasEscapes && isEscapedFlow(text, at)) {
      const eol = text.indexOf('\n', at);
      const end = eol < 0 ? text.length : eol;
      open(at, end, 'escaped');
      starts.lastIndex = end;
    } else if (startsFlow(text, at)) {
      const region = readFlow(text, at, maps, folded);
      GOES_ON.lastIndex = region.end;
      if (region.clean && GOES_ON.test(text)) region.clean = false;
      regions.push(region);
      starts.lastIndex = region.end;
    }
  }
  return regions;
}

/** Whether a quote stands where a value begins, so that the next one ends it. */
function opensValue(text: string, at: number): boolean {
  return at === 0 || /[\n:,=[{-][ \t]{0,8}$/.test(text.slice(Math.max(0, at - 9), at));
}

/** One more field behind the last bracket: an opening one is lost, and the piece ended too early. */
const GOES_ON = /[ \t]{0,8},[ \t]{0,8}["'][^"'\n]{1,100}["'][ \t]{0,8}:/y;
const ESCAPED_FLOW = /[{[](?:\s|[{[]){0,20}\\{1,63}["nrt]/y;

function isEscapedFlow(text: string, at: number): boolean {
  ESCAPED_FLOW.lastIndex = at;
  return ESCAPED_FLOW.test(text);
}

/** Places where a Secret is named that no reading accounted for. */
function missedMentions(text: string, kinds: readonly number[]): number[] {
  let understood: Set<number> | null = null;
  const missed: number[] = [];
  for (const { index } of text.includes('Secret') ? text.matchAll(MENTION) : []) {
    understood ??= new Set(kinds);
    if (!understood.has(index)) missed.push(index);
  }
  return missed;
}

/** Tries lines with escapes as if they were strings; the mentions that are left. */
function openLines(text: string, mentions: readonly number[], ranges: Range[]): number[] {
  const left: number[] = [];
  let lineEnd = -1;
  let understood = new Set<number>();
  for (const mention of mentions) {
    if (mention >= lineEnd) {
      const start = text.lastIndexOf('\n', mention) + 1;
      const eol = text.indexOf('\n', mention);
      lineEnd = eol < 0 ? text.length : eol;
      if (text.slice(start, lineEnd).includes('\\')) {
        const inner = openString(text, start, lineEnd, 'escaped', 0);
        understood = new Set(inner.kinds);
        append(ranges, inner.ranges);
      }
    }
    if (!understood.has(mention)) left.push(mention);
  }
  return left;
}
