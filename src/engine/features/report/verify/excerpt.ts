/** Returns up to 300 figures and names of a text. `excerpt` searches results for them to find related passages. */
export function extractTerms(text: string): ReadonlySet<string> {
  const terms = new Set<string>();
  for (const [word] of text.matchAll(WORD)) {
    const term = trimmed(word);
    if (term.length >= 2 && term.length <= 200 && TERM.test(term)) terms.add(term);
    if (terms.size === MAX_TERMS) break;
  }
  return terms;
}

const MAX_TERMS = 300;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}._:/@%-]*/gu;

/** Matches words that are not prose, because they have a digit, an inner sign or an inner capital. */
const TERM = /\p{N}|.[._:/@-].|.\p{Lu}/u;

/** Removes punctuation at the end. A loop, because a regular expression takes quadratic time for long runs of it. */
function trimmed(word: string): string {
  let end = word.length;
  while (end > 0 && '.:/-'.includes(word[end - 1]!)) end -= 1;
  return word.slice(0, end);
}

/** Longer lines are split into pieces of this length (UTF-16 code units). */
const PIECE_UNITS = 800;

/** Length reserved for each note about left-out text (UTF-16 code units). */
const GAP_UNITS = 75;

interface Piece {
  start: number;
  end: number;
  score: number;
}

/** Shortens a text to `maxUnits`. Prefers lines with most terms, then the first and the last line; notes mark gaps. */
export function excerpt(text: string, maxUnits: number, terms: ReadonlySet<string>): string {
  if (text.length <= maxUnits) return text;
  const pieces = splitPieces(text, terms);
  pieces[0]!.score += 0.5;
  pieces.at(-1)!.score += 0.5;
  const ranked = pieces.map((_, index) => index).sort((a, b) => pieces[b]!.score - pieces[a]!.score || a - b);
  const taken = new Set<number>();
  let left = maxUnits - 2 * GAP_UNITS;
  for (const index of ranked) {
    for (const at of [index, index + 1]) {
      const piece = pieces[at];
      const joins = taken.has(at - 1) || taken.has(at + 1);
      const cost = piece ? piece.end - piece.start + (joins ? 0 : GAP_UNITS) : 0;
      if (!piece || taken.has(at) || cost > left) continue;
      taken.add(at);
      left -= cost;
    }
    if (left < GAP_UNITS) break;
  }
  return joinPieces(
    text,
    pieces.filter((_, index) => taken.has(index)),
  );
}

function splitPieces(text: string, terms: ReadonlySet<string>): Piece[] {
  const pieces: Piece[] = [];
  for (let start = 0; start < text.length; ) {
    const line = text.indexOf('\n', start) + 1 || text.length;
    let end = Math.min(line, start + PIECE_UNITS);
    if (end < line && /[\ud800-\udbff]/.test(text[end - 1]!)) end -= 1;
    pieces.push({ start, end, score: countTerms(text.slice(start, end), terms) });
    start = end;
  }
  return pieces;
}

function countTerms(line: string, terms: ReadonlySet<string>): number {
  const found = new Set<string>();
  for (const [word] of line.matchAll(WORD)) {
    const whole = trimmed(word);
    if (terms.has(whole)) found.add(whole);
    for (const part of whole.split(/[/:@]/)) if (terms.has(part)) found.add(part);
  }
  return found.size;
}

function joinPieces(text: string, pieces: readonly Piece[]): string {
  let out = '';
  let at = 0;
  const gap = (to: number) => {
    if (to > at)
      out += `${out === '' || out.endsWith('\n') ? '' : '\n'}[… shortened: ${to - at} of ${text.length} characters left out here …]\n`;
  };
  for (const { start, end } of pieces) {
    gap(start);
    out += text.slice(start, end);
    at = end;
  }
  gap(text.length);
  return out;
}
