import { createTextBuilder, type NormalizedText, normalizeText } from './normalize-text.ts';

/** Yields the forms that models quote: normalized, with JSON escapes resolved once and twice (JSON in JSON), and compact JSON. */
export function* textViews(
  text: string,
  cache: NormalizedText[],
): Generator<{ view: NormalizedText; isCompact: boolean }> {
  const cached = (index: number, make: () => NormalizedText): NormalizedText => {
    cache[index] ??= make();
    return cache[index];
  };
  let last = cached(0, () => normalizeText(text));
  yield { view: last, isCompact: false };
  for (let level = 1; level <= MAX_LEVELS && last.text.includes('\\'); level++) {
    const before = last;
    last = cached(level, () => unescaped(text, level));
    if (last.text === before.text) break;
    yield { view: last, isCompact: false };
  }
  if (!looksLikeJson(last.text)) return;
  const whole = last;
  yield { view: cached(MAX_LEVELS + 1, () => compactJson(whole)), isCompact: true };
}

const MAX_LEVELS = 2;

function unescaped(text: string, levels: number): NormalizedText {
  let [current, offsets]: [string, Uint32Array | null] = [text, null];
  for (let level = 0; level < levels; level++) {
    const next = withoutEscapes(current);
    offsets = offsets === null ? next.at : composeOffsets(next.at, offsets);
    current = next.text;
  }
  const normalized = normalizeText(current);
  return {
    text: normalized.text,
    at: offsets === null ? normalized.at : composeOffsets(normalized.at, offsets),
  };
}

function composeOffsets(later: Uint32Array, earlier: Uint32Array): Uint32Array {
  return later.map((offset) => earlier[offset]!);
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: ' ', f: ' ' };

/** Resolves JSON string escapes anywhere, because outputs are rarely pure JSON. */
function withoutEscapes(text: string): NormalizedText {
  const out = createTextBuilder(text.length);
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

function looksLikeJson(normalized: string): boolean {
  return /^['\w]{0,40} ?[{[]/.test(normalized) || /[{[,] ?'[\w.-]{1,80}' ?:/.test(normalized.slice(0, 2000));
}

export function compactJson({ text, at }: NormalizedText): NormalizedText {
  const out = createTextBuilder(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x20 && (isPunctuation(text[i - 1]) || isPunctuation(text[i + 1]))) continue;
    out.add(code, at[i]!);
  }
  return out.finish(at[text.length]!);
}

const isPunctuation = (unit = '?') => '{}[],:'.includes(unit);
