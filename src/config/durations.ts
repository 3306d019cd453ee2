/** Matches hours, minutes, seconds and milliseconds in this order, each at most once: `1h30m`, `40m`, `500ms`. */
export const DURATION_PATTERN = /^(?=\d)(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

const UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** Returns the milliseconds of a duration such as `1h30m`; `null` if the text is not a duration. */
export function parseDuration(text: string): number | null {
  const match = DURATION_PATTERN.exec(text);
  if (match === null) return null;
  return UNITS.reduce((sum, [, ms], index) => sum + Number(match[index + 1] ?? 0) * ms, 0);
}

/** Returns the shortest duration text for a whole number of milliseconds ≥ 0. */
export function formatDuration(milliseconds: number): string {
  let rest = milliseconds;
  let text = '';
  for (const [unit, ms] of UNITS) {
    const count = Math.floor(rest / ms);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * ms;
  }
  return text === '' ? '0s' : text;
}
