/** Style of a piece of terminal output. */
export interface AnsiLook {
  readonly color: AnsiColor | null;
  readonly bold: boolean;
}
export type AnsiColor = 'black' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'white';

/** A range of the plain text with one style. */
export interface AnsiRun extends AnsiLook {
  readonly start: number;
  readonly end: number;
}

export interface AnsiText {
  readonly plain: string;
  readonly runs: readonly AnsiRun[];
}

const COLORS: readonly AnsiColor[] = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const PLAIN: AnsiLook = { color: null, bold: false };
// Matches all terminal escape codes. Only style codes, which end in `m`, are evaluated.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CODES = /\u001b\[([0-9;:]*)([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[@-Z\\-_]/g;

/** Returns terminal output without escape codes, and its styled ranges. Takes linear time. */
export function readAnsi(text: string): AnsiText {
  if (!text.includes('\u001b')) return { plain: text, runs: [] };
  const runs: AnsiRun[] = [];
  let plain = '';
  let look = PLAIN;
  let from = 0;
  const add = (piece: string): void => {
    if (piece !== '' && look !== PLAIN)
      runs.push({ ...look, start: plain.length, end: plain.length + piece.length });
    plain += piece;
  };
  for (const match of text.matchAll(CODES)) {
    add(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === 'm') look = changed(look, match[1] ?? '');
  }
  add(text.slice(from));
  return { plain, runs };
}

function changed(before: AnsiLook, codes: string): AnsiLook {
  let look = before;
  const numbers = codes === '' ? [0] : codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at]!;
    if (code === 0) look = PLAIN;
    else if (code === 1) look = { ...look, bold: true };
    else if (code === 22) look = { ...look, bold: false };
    else if (code === 39) look = { ...look, color: null };
    else if (code >= 30 && code <= 37) look = { ...look, color: COLORS[code - 30]! };
    else if (code >= 90 && code <= 97) look = { ...look, color: COLORS[code - 90]! };
    // Skips the arguments of 256-colour and true-colour codes.
    else if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : 4;
  }
  return look.color === null && !look.bold ? PLAIN : look;
}
