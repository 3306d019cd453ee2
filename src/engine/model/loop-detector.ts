/** Number of times in a row that a response must end with the same passage to be a loop. */
const LOOP_REPEATS = 5;

/**
 * Bounds of the passage's length (UTF-16 code units). Shorter repetitions are rulers and tables; longer ones
 * take long to check.
 */
const LOOP_MIN_PATTERN = 30;
const LOOP_MAX_PATTERN = 500;

/** A run of few different characters, such as ----, is a loop from this length on (UTF-16 code units). */
const LOOP_RULER_UNITS = 3000;

/** Number of new UTF-16 code units after which the text is checked again. */
const LOOP_CHECK_UNITS = 2000;
/** Length of the text's end that each check examines (UTF-16 code units). */
const LOOP_WINDOW_UNITS = 6000;

export class LoopDetectedError extends Error {
  readonly code = 'loop_detected';
  constructor(pattern: string) {
    super(`the response repeated itself: “${pattern.slice(0, 80).trim()}…”`);
    this.name = 'LoopDetectedError';
  }
}

/** Returns a detector whose `add` throws when the growing text ends with a much repeated passage. Linear time. */
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

/** Returns the passage that ends the text at least LOOP_REPEATS times in a row; `null` if there is none. */
export function repeatedEnding(text: string): string | null {
  const longest = Math.min(LOOP_MAX_PATTERN, Math.floor(text.length / LOOP_REPEATS));
  for (let length = LOOP_MIN_PATTERN; length <= longest; length++) {
    const repeated = repeatedUnits(text, length);
    if (repeated < length * (LOOP_REPEATS - 1)) continue;
    const pattern = text.slice(-length);
    const isRuler = new Set(pattern).size < 4;
    if (isRuler && repeated < LOOP_RULER_UNITS) continue;
    if (pattern.trim() !== '') return pattern;
  }
  return null;
}

/**
 * Returns how many characters at the end of the text equal the one `length` before them (UTF-16 code units). Stops at what
 * any passage of this length needs.
 */
function repeatedUnits(text: string, length: number): number {
  const most = Math.max(length * (LOOP_REPEATS - 1), LOOP_RULER_UNITS);
  let units = 0;
  while (units < most && text[text.length - 1 - units] === text[text.length - 1 - units - length]) units++;
  return units;
}
