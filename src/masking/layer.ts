/** A text without one level of escaping, with the positions of its characters in the source text. */
export interface Layer {
  text: string;
  /** Returns the start in the source of the character at a position. */
  startOf(at: number): number;
  /** Returns the end in the source of the character before a position. */
  endOf(at: number): number;
}

/** Builds a layer of the source from `start`. Each `replace` first copies the text since the previous replacement. */
export function layerFrom(source: string, start: number) {
  let text = '';
  /** For each copied stretch: its start in the layer, its start in the source and its end in the source. */
  const here = [0];
  const there = [start];
  const ends: number[] = [];
  let length = 0;

  function copy(end: number): void {
    const from = there.at(-1)!;
    if (end > from) text += source.slice(from, end);
    length += end - from;
    ends.push(end);
  }

  return {
    replace(at: number, end: number, by: string): void {
      copy(at);
      text += by;
      length += by.length;
      here.push(length);
      there.push(end);
    },
    end(end: number): Layer {
      copy(end);
      let near = 0;
      const stretchAt = (at: number): number => {
        if (here[near]! > at || (here[near + NEAR] ?? Infinity) <= at) near = lastIndexUpTo(here, at);
        while (near + 1 < here.length && here[near + 1]! <= at) near++;
        return near;
      };
      return {
        text,
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

/** Number of stretches after the last result that are searched one by one; further ones are found by bisection. */
const NEAR = 8;

function lastIndexUpTo(numbers: readonly number[], most: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (numbers[middle]! <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}
