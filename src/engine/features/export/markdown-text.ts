/**
 * These functions escape untrusted text, so that no link, image, HTML or mention survives. Web and mail
 * addresses become code, which is never a link.
 */

/**
 * Invisible and bidirectional control characters, which hide or reverse text. Joiners and the selectors of emoji and
 * Mongolian stay, because they change how the characters beside them look.
 */
const INVISIBLE = /(?!\u200c|\u200d|[\u180b-\u180d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;
const CONTROLS = /\p{Cc}+/gu;
const CONTROLS_IN_LINES = /(?!\n)\p{Cc}/gu;

/** Matches words that a renderer may turn into a link or a mention. */
const ADDRESS = /:\/\/|www\.|@/i;

export function inline(text: string): string {
  const line = oneLine(text);
  return outsideAddresses(line, (piece) =>
    piece
      .replace(/[\\*[\]|~$]/g, '\\$&')
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
      .replace(/[&<>`]/g, (char) => ENTITIES[char]!),
  );
}

/**
 * HTML entities of special characters. A backtick needs one, because even an escaped backtick may pair with
 * another.
 */
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '`': '&#96;' };

export function code(text: string): string {
  const line = oneLine(text);
  if (line === '') return '';
  const ticks = '`'.repeat(longestRun(line) + 1);
  const pad = /^[` ]|[` ]$/.test(line) ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

export function block(text: string, indent = ''): string[] {
  const fence = '`'.repeat(Math.max(2, longestRun(text)) + 1);
  return [fence, ...linesOf(text), fence].map((line) => (line === '' ? '' : `${indent}${line}`));
}

/** Returns Markdown as a block quotation that keeps lists, tables, emphasis and code, but no links, images or HTML. */
export function quotation(markdown: string): string[] {
  const out: string[] = [];
  let open: { fence: string; lines: string[] } | null = null;
  const close = () => {
    if (open) out.push(...block(open.lines.join('\n')));
    open = null;
  };
  for (const line of linesOf(markdown)) {
    const mark = /^\s*(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line);
    if (open) {
      const { fence, lines }: { fence: string; lines: string[] } = open;
      if (mark && mark[1]!.startsWith(fence) && mark[2]!.trim() === '') close();
      else lines.push(line);
    } else if (mark) open = { fence: mark[1]!, lines: [] };
    else out.push(quotedLine(line));
  }
  close();
  return out.map((line) => (line === '' ? '>' : `> ${line}`));
}

/** Escapes a line outside code blocks. Keeps its indent and lowers headings to level 4 or below. */
function quotedLine(line: string): string {
  const [, lead = '', rest = ''] = /^(\s*(?:#{1,6}(?=\s))?)(.*)$/u.exec(line)!;
  if (/^\s*(?:=+|-{2,})\s*$/.test(line)) return line.includes('=') ? `\\${line.trim()}` : '***';
  const start = lead.includes('#') ? `${'#'.repeat(Math.max(4, lead.trim().length))}` : lead;
  return start + joinPieces(escapePieces(rest));
}

/**
 * Splits a line into kept code and escaped text. Code with `|` is escaped, because a table row is split
 * there.
 */
function escapePieces(line: string): string[] {
  const runs = [...line.matchAll(/`+/g)].map(({ 0: run, index }) => ({ index, length: run.length }));
  const next = nextOfSameLength(runs);
  const out: string[] = [];
  let at = 0;
  for (let run = 0; run < runs.length; run++) {
    const { index, length } = runs[run]!;
    out.push(escapeText(line.slice(at, index)));
    const end = next[run];
    if (end === undefined || line.slice(index, runs[end]!.index).includes('|')) {
      out.push(ENTITIES['`']!.repeat(length));
      at = index + length;
    } else {
      at = runs[end]!.index + length;
      out.push(line.slice(index, at));
      run = end;
    }
  }
  return [...out, escapeText(line.slice(at))];
}

function nextOfSameLength(runs: readonly { length: number }[]): (number | undefined)[] {
  const latest = new Map<number, number>();
  const next: (number | undefined)[] = [];
  for (let run = runs.length - 1; run >= 0; run--) {
    const { length } = runs[run]!;
    next[run] = latest.get(length);
    latest.set(length, run);
  }
  return next;
}

/** Escapes what could be a link, an image, HTML or a formula. Emphasis, lists, tables and quotations stay. */
function escapeText(text: string): string {
  return outsideAddresses(text, (piece) =>
    piece.replace(/[\\[\]$~]/g, '\\$&').replace(/[&<]/g, (char) => ENTITIES[char]!),
  );
}

function outsideAddresses(text: string, plain: (piece: string) => string): string {
  const pieces = text.split(/([^\s`|]+)/);
  return joinPieces(pieces.map((piece) => (ADDRESS.test(piece) ? code(piece) : plain(piece))));
}

/** Joins pieces, with a space between adjacent pieces of code, because they would merge otherwise. */
function joinPieces(pieces: readonly string[]): string {
  const nonEmpty = pieces.filter((piece) => piece !== '');
  const isCode = (piece: string | undefined, at: number) => piece?.at(at) === '`';
  return nonEmpty
    .map((piece, n) => (isCode(piece, 0) && isCode(nonEmpty[n - 1], -1) ? ` ${piece}` : piece))
    .join('');
}

function oneLine(text: string): string {
  return text.toWellFormed().replace(CONTROLS, ' ').replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();
}

function linesOf(text: string): string[] {
  return text
    .toWellFormed()
    .replace(/\r\n|[\r\u2028\u2029]/g, '\n')
    .replaceAll('\t', '    ')
    .replace(CONTROLS_IN_LINES, ' ')
    .replace(INVISIBLE, '')
    .split('\n')
    .map((line) => line.trimEnd());
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
