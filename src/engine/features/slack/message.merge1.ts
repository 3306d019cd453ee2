/** Characters of one block's text: Slack refuses 3000 and more, and what escaping adds counts. */
const BLOCK_MAX_UNITS = 2900;

/** Ends a text that was cut. */
const CUT = '\n… (cut; the rest is in the dashboard)';

/** How far back a better place for a cut is looked for. */
const BOUNDARY_UNITS = 200;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Slack's three control characters as entities: without them there are no mentions, links or channels. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}

/**
 * Text from outside for a block: escaped, without characters that change the order or the visibility of others, cut at
 * the end of a line or word.
 */
export function blockText(text: string, maxUnits = BLOCK_MAX_UNITS): string {
  const clean = text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  const escaped = escapeText(clean);
  if (escaped.length <= maxUnits) return escaped;
  const room = maxUnits - CUT.length;
  let kept = '';
  for (const character of clean) {
    const next = escapeText(character);
    if (kept.length + next.length > room) break;
    kept += next;
  }
  return `${atBoundary(kept)}${CUT}`;
}

function atBoundary(text: string): string {
  const earliest = text.length - BOUNDARY_UNITS;
  const line = text.lastIndexOf('\n');
  if (line >= earliest && line > 0) return text.slice(0, line);
  const word = text.lastIndexOf(' ');
  return word >= earliest && word > 0 ? text.slice(0, word) : text;
}
