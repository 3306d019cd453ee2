import { createUnits, type Folded, fold } from './normalize-text.ts';

/**
 * A text in the forms in which models quote it, the plainest first: as it is; with the escapes of JSON strings resolved, once and twice
 * (JSON that holds JSON); for JSON also without the white space around its punctuation, as its pretty and its short form are the same
 * then. Each is made when it is asked for.
 */
export function* viewsOf(text: string, cache: Folded[]): Generator<{ view: Folded; isCompact: boolean }> {
  const kept = (index: number, make: () => Folded): Folded => {
    cache[index] ??= make();
    return cache[index];
  };
  let last = kept(0, () => fold(text));
  yield { view: last, isCompact: false };
  for (let level = 1; level <= MAX_DECODED && last.text.includes('\\'); level++) {
    const before = last;
    last = kept(level, () => decoded(text, level));
    if (last.text === before.text) break;
    yield { view: last, isCompact: false };
  }
  if (!looksLikeJson(last.text)) return;
  const whole = last;
  yield { view: kept(MAX_DECODED + 1, () => compact(whole)), isCompact: true };
}

const MAX_DECODED = 2;

function decoded(text: string, levels: number): Folded {
  let [now, at]: [string, Uint32Array | null] = [text, null];
  for (let level = 0; level < levels; level++) {
    const next = withoutEscapes(now);
    at = at === null ? next.at : through(next.at, at);
    now = next.text;
  }
  const folded = fold(now);
  return { text: folded.text, at: at === null ? folded.at : through(folded.at, at) };
}

/** The way back over two steps. */
function through(later: Uint32Array, earlier: Uint32Array): Uint32Array {
  return later.map((place) => earlier[place]!);
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: ' ', f: ' ' };

/** Resolves the escapes of JSON strings wherever they stand: outputs are seldom nothing but JSON. */
function withoutEscapes(text: string): Folded {
  const out = createUnits(text.length);
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (code !== 0x5c || i + 1 === text.length) {
      out.add(code, i);
      i += 1;
      continue;
    }
    const next = text[i + 1]!;
    const hex = next === 'u' ? text.slice(i + 2, i + 6) : '';
    if (/^[0-9a-fA-F]{4}$/.test(hex)) {
      out.add(Number.parseInt(hex, 16), i);
      i += 6;
    } else if (next === '"' || next === '\\' || next === '/' || ESCAPED[next] !== undefined) {
      out.add((ESCAPED[next] ?? next).charCodeAt(0), i);
      i += 2;
    } else {
      out.add(code, i);
      i += 1;
    }
  }
  return out.finish(text.length);
}

function looksLikeJson(folded: string): boolean {
  return /^['\w]{0,40} ?[{[]/.test(folded) || /[{[,] ?'[\w.-]{1,80}' ?:/.test(folded.slice(0, 2000));
}

/** Without the spaces beside the punctuation of JSON. */
export function compact({ text, at }: Folded): Folded {
  const out = createUnits(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x20 && (isPunctuation(text.charCodeAt(i - 1)) || isPunctuation(text.charCodeAt(i + 1))))
      continue;
    out.add(code, at[i]!);
  }
  return out.finish(at[text.length]!);
}

function isPunctuation(code: number): boolean {
  return code === 0x7b || code === 0x7d || code === 0x5b || code === 0x5d || code === 0x2c || code === 0x3a;
}
