import type { Facts } from './extract-facts.ts';

type Named = Facts['names'][number];
type Said = Facts['figures'][number] | Facts['times'][number];

/** Figures and times, and the names that they may be said of: one of them is. */
interface Pair {
  of: string[];
  said: Said[];
}

const BOUNDARY =
  /[,;:.!?]? (?:and|but|while|whereas|when|because|since|after|before|which|und|aber|während|weil|et|mais|y|pero|e|ma) |[,;.!?] |: |\n/gi;

/**
 * What a claim says of what. A figure is said of the subject of its clause: its first name that does not follow a preposition, else its
 * first. A clause without a figure belongs to the next one (`web-1 and web-2 have 17`), one without a name to the names before it.
 * @param things names in the order of the text @param said figures and times
 */
export function clausesOf(text: string, things: readonly Named[], said: readonly Said[]): Pair[] {
  if (things.length === 0) return [];
  const ends = [...text.matchAll(BOUNDARY)].map(({ index }) => index);
  const clauseAt = (start: number) => ends.filter((end) => end < start).length;
  const clauses = Array.from({ length: ends.length + 1 }, (_, index) => ({
    names: things.filter(({ start }) => clauseAt(start) === index),
    said: said.filter(({ start }) => clauseAt(start) === index),
  }));
  const pairs: Pair[] = [];
  let waiting: Named[] = [];
  let before: string[] = [];
  for (const clause of clauses) {
    const names = [...waiting, ...clause.names];
    if (clause.said.length === 0) {
      waiting = names;
      continue;
    }
    waiting = [];
    const of = names.length > 0 ? subjectsOf(text, names) : before;
    pairs.push({ of, said: clause.said });
    if (names.length > 0) before = names.map((name) => name.text);
  }
  // Nothing was named before it: what is named behind it.
  return pairs.map((pair) => (pair.of.length > 0 ? pair : { ...pair, of: things.map((name) => name.text) }));
}

const PREPOSITION =
  /(?:^| )(?:on|in|at|from|to|by|via|behind|under|of|for|against|within|auf|in|von|bei|aus|für|sur|dans|de|en|pour|su|da) (?:the |den |dem |der |la |le |el )?(?:[\p{L}]+ )?$/iu;

function subjectsOf(text: string, names: readonly Named[]): string[] {
  const subject = names.find(({ start }) => !PREPOSITION.test(text.slice(Math.max(0, start - 32), start)));
  return [(subject ?? names[0]!).text];
}
