/** Random choices that a seed reproduces. */
export interface Random {
  /** Returns an integer from 0 up to, but not including, `below`. */
  int(below: number): number;
  pick<T>(from: readonly T[]): T;
  /** Returns true with probability 1/`times`. */
  once(times: number): boolean;
  /** Returns up to `atMost` results of `make`. */
  list<T>(atMost: number, make: () => T): T[];
}

/** Uses the mulberry32 generator. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    pick: (from) => from[int(from.length)]!,
    once: (times) => int(times) === 0,
    list: (atMost, make) => Array.from({ length: int(atMost + 1) }, make),
  };
}

/** Texts that often break programs. */
const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  '\ud800',
  '😀',
  '\u202eabc',
  '../../etc/passwd',
  "' or 1=1 --",
  '%s%n',
  '$(x)',
  '__proto__',
  'constructor',
  'NaN',
  '-1',
  '1e999',
  '9007199254740993',
  '2026-02-30T00:00:00Z',
  '0001-01-01T00:00:00Z',
  'a'.repeat(5000),
  '\u0000\u0001\u001f',
  '%E0%A4%A',
  '[',
  '{',
  '"',
  '\\',
] as const;

export function oddText(random: Random): string {
  if (random.once(3)) return random.pick(ODD_TEXTS);
  return String.fromCharCode(
    ...random.list(12, () => (random.once(4) ? random.int(65536) : 32 + random.int(95))),
  );
}

/** Any JSON value. */
export function oddValue(random: Random, depth = 0): unknown {
  const kinds = depth > 3 ? 6 : 8;
  switch (random.int(kinds)) {
    case 0:
      return null;
    case 1:
      return random.once(2);
    case 2:
      return random.pick([0, -1, 1, 0.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 100, 101]);
    case 6:
      return random.list(5, () => oddValue(random, depth + 1));
    case 7:
      return Object.fromEntries(random.list(5, () => [oddText(random), oddValue(random, depth + 1)]));
    default:
      return oddText(random);
  }
}

/** Returns the text with parts cut, doubled, changed or moved. */
export function mangled(random: Random, text: string): string {
  let result = text;
  for (let times = 1 + random.int(3); times > 0; times--) {
    const at = random.int(result.length + 1);
    const end = Math.min(result.length, at + random.int(12));
    const part = result.slice(at, end);
    const instead = random.pick([
      '',
      part + part,
      oddText(random),
      String.fromCharCode(random.int(128)),
      '}',
      '"',
    ]);
    result = result.slice(0, at) + instead + result.slice(random.once(2) ? end : at);
  }
  return result;
}
