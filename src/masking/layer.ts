/** A text without one level of escaping, and where its signs stand in the text that it was made of. */
export interface Layer {
  text: string;
  /** Where the sign at a position begins. */
  startOf(at: number): number;
  /** Where the sign before a position ends. */
  endOf(at: number): number;
}

/** Makes a layer: each `replace` copies what stands before the place, from where the last one ended. */
export function layerFrom(source: string, start: number) {
  const parts: string[] = [];
  /** Of each stretch that is copied: where it begins in the layer and in the source, and where it ends there. */
  const here = [0];
  const there = [start];
  const ends: number[] = [];
  let length = 0;

  function copy(end: number): void {
    const from = there.at(-1)!;
    if (end > from) parts.push(source.slice(from, end));
    length += end - from;
    ends.push(end);
  }

  return {
    /** @param by what stands for [at, end) in the layer */
    replace(at: number, end: number, by: string): void {
      copy(at);
      if (by !== '') parts.push(by);
      length += by.length;
      here.push(length);
      there.push(end);
    },
    end(end: number): Layer {
      copy(end);
      /** The stretch asked for last: the next one is near it, as a rule. */
      let near = 0;
      const stretchAt = (at: number): number => {
        if (here[near]! > at || (here[near + NEAR] ?? Infinity) <= at) near = lastUpTo(here, at);
        while (near + 1 < here.length && here[near + 1]! <= at) near++;
        return near;
      };
      return {
        text: parts.join(''),
        startOf(at) {
          const stretch = stretchAt(at);
          return Math.min(there[stretch]! + at - here[stretch]!, ends[stretch]!);
        },
        endOf(at) {
          const stretch = stretchAt(at - 1);
          const found = there[stretch]! + at - here[stretch]!;
          return found > ends[stretch]! ? (there[stretch + 1] ?? end) : found;
        },
      };
    },
  };
}

/** Stretches that are walked over one by one. */
const NEAR = 8;

/** Index of the last of ascending numbers that is not above `most`. */
function lastUpTo(numbers: readonly number[], most: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (numbers[middle]! <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}
