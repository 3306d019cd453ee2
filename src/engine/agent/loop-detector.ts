/**
 * A response that ends with the same passage this often in a row is a loop. Passages shorter than the least are
 * rulers and tables; the longest bounds the work; a look is taken each time this much text came, at this much text.
 */
export const LOOP_REPEATS = 5;

export const LOOP_MIN_PATTERN = 30;

export const LOOP_RULER_UNITS = 3000;

// a run of few different characters, such as ----, must be this long
export const LOOP_MAX_PATTERN = 500;

export const LOOP_CHECK_UNITS = 2000;

export const LOOP_WINDOW_UNITS = 6000;

/** The model says the same again and again; its stream was cut. */
export class LoopDetectedError extends Error {
  readonly code = 'loop_detected';
  constructor(pattern: string) {
    super(`the response repeated itself: “${pattern.slice(0, 80).trim()}…”`);
    this.name = 'LoopDetectedError';
  }
}

/**
 * Watches a growing text for a passage that is repeated without end. Now and then it looks at the last part of the
 * text only, so its work is linear in the text.
 */
export function createLoopDetector(): { add(delta: string): void } {
  let tail = '';
  let unseen = 0;
  return {
    /** @throws LoopDetectedError */
    add(delta) {
      tail = (tail + delta).slice(-LOOP_WINDOW_UNITS);
      unseen += delta.length;
      if (unseen < LOOP_CHECK_UNITS) return;
      unseen = 0;
      const pattern = repeatedEnding(tail);
      if (pattern !== null) throw new LoopDetectedError(pattern);
    },
  };
}

/** The passage that the text ends with at least LOOP_REPEATS times in a row; null when there is none. */
export function repeatedEnding(text: string): string | null {
  const longest = Math.min(LOOP_MAX_PATTERN, Math.floor(text.length / LOOP_REPEATS));
  for (let length = LOOP_MIN_PATTERN; length <= longest; length++) {
    const pattern = text.slice(-length);
    const needed = Math.max(length * (LOOP_REPEATS - 1), isRuler(pattern) ? LOOP_RULER_UNITS : 0);
    let matched = 0;
    while (matched < needed && text[text.length - 1 - matched] === text[text.length - 1 - matched - length])
      matched++;
    if (matched === needed && pattern.trim() !== '') return pattern;
  }
  return null;
}

/** Lines of tables and headings are long runs of few characters. */
function isRuler(pattern: string): boolean {
  return new Set(pattern).size < 4;
}
