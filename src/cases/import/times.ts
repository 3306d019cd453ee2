/** ISO 8601 with T or a space, and the form of kubectl and mail. */
const TIMES =
  /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?|\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g;
/** Distance (ms) from the median beyond which a time says nothing about the recording, such as the end of a certificate. */
const FAR = 30 * 86_400_000;

/**
 * Returns the time at which texts were recorded: the latest time in them, apart from outliers in the future.
 * @returns ISO 8601; `null` if the texts have no time
 */
export function recordingTime(texts: readonly string[]): string | null {
  const times = texts
    .flatMap((text) => text.match(TIMES) ?? [])
    .map((text) => Date.parse(normalized(text)))
    .filter((time) => !Number.isNaN(time))
    .sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)];
  if (median === undefined) return null;
  return new Date(times.findLast((time) => time <= median + FAR)!).toISOString();
}

/** Returns a time as `Date` parses it. Without a zone it is UTC. */
function normalized(text: string): string {
  if (!/^\d/.test(text)) return text;
  const iso = text.replace(' ', 'T').replace(',', '.').replace(' ', '');
  return /(?:Z|[+-]\d\d:?\d\d)$/.test(iso.slice(10)) ? iso : `${iso}Z`;
}

export const NO_TIME = 'its files have no time; give --recorded-at';
