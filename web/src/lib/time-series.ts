export interface TimeSeries {
  /** Labels of the series, or the keys that lead to it in the JSON. */
  readonly name: string;
  /** At least three points, in order of time. */
  readonly points: readonly TimePoint[];
}

export interface TimePoint {
  readonly time: number;
  readonly value: number;
}

// Maximum length of a parsed text (characters), because parsing a longer one blocks the page.
const MAX_LENGTH = 2_000_000;
const MIN_POINTS = 3;
const MAX_DEPTH = 8;
// Maximum number of objects and lists inspected in a text.
const MAX_INSPECTED = 20_000;
const TIME_KEY = /^@?(?:time(?:stamp|_?ms)?|date(?:time)?|ts|t)$/i;
/** Matches possible times: Unix time of the years 2001 to 2033 (s or ms), or ISO 8601. */
const MAY_HAVE_TIMES = /[[:\s"]1\d{9}|"\d{4}-\d\d-\d\d[T ]/;

/**
 * Finds time series in JSON text: lists of pairs of time and value (Prometheus; Graphite has them reversed), or of
 * objects with one time and numbers.
 */
export function readTimeSeries(text: string): TimeSeries[] {
  if (text.length > MAX_LENGTH || !/^\s*[[{]/.test(text) || !MAY_HAVE_TIMES.test(text)) return [];
  try {
    return findSeries(JSON.parse(text));
  } catch {
    return [];
  }
}

function findSeries(root: unknown): TimeSeries[] {
  const found: TimeSeries[] = [];
  let remaining = MAX_INSPECTED;
  const inspect = (value: unknown, name: string, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || remaining <= 0) return;
    remaining -= 1;
    const series = Array.isArray(value) ? seriesIn(value, name) : [];
    found.push(...series);
    if (series.length > 0) return;
    const own = Array.isArray(value) ? name : nameOf(value as Record<string, unknown>) || name;
    for (const [key, part] of Object.entries(value)) {
      inspect(part, own || (Array.isArray(value) ? '' : key), depth + 1);
    }
  };
  inspect(root, '', 0);
  return found;
}

/** Returns a series' name: its labels in Prometheus format, or the name in the JSON; '' if there is none. */
function nameOf(object: Record<string, unknown>): string {
  const labels = object.metric ?? object.labels ?? object.tags;
  if (typeof labels === 'object' && labels !== null && !Array.isArray(labels)) {
    const { __name__: metric = '', ...rest } = labels as Record<string, unknown>;
    const pairs = Object.entries(rest).map(([key, value]) => `${key}="${String(value)}"`);
    return pairs.length > 0 ? `${String(metric)}{${pairs.join(', ')}}` : String(metric);
  }
  const word = [object.metric, object.target, object.name, object.label].find(
    (one) => typeof one === 'string',
  );
  return (word as string | undefined) ?? '';
}

function seriesIn(list: readonly unknown[], name: string): TimeSeries[] {
  if (list.length < MIN_POINTS) return [];
  const first = list[0];
  if (Array.isArray(first)) {
    if (first.length !== 2) return [];
    const timeAt = timeOf(first[0]) === null ? 1 : 0;
    return seriesOf(name, list, timeAt, 1 - timeAt);
  }
  if (typeof first !== 'object' || first === null) return [];
  const timeKey = Object.keys(first).find((key) => TIME_KEY.test(key));
  if (timeKey === undefined) return [];
  const keys = Object.entries(first).filter(([key, value]) => key !== timeKey && typeof value === 'number');
  return keys.flatMap(([key]) => {
    const own = keys.length === 1 && name !== '' ? name : [name, key].filter(Boolean).join(' ');
    return seriesOf(own, list, timeKey, key);
  });
}

/** Returns the series in a list; none if an entry has no time or times go back. Omits points without a value. */
function seriesOf(
  name: string,
  list: readonly unknown[],
  timeKey: string | number,
  valueKey: string | number,
): TimeSeries[] {
  const points: TimePoint[] = [];
  let before = 0;
  for (const one of list) {
    const point = one as Record<string | number, unknown> | null;
    const time = timeOf(point?.[timeKey]);
    if (time === null || time < before) return [];
    before = time;
    const given = point?.[valueKey];
    const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
    if (typeof value === 'number' && Number.isFinite(value)) points.push({ time, value });
  }
  return points.length < MIN_POINTS || points[0]!.time === before ? [] : [{ name, points }];
}

/** Parses a time to ms, from seconds, milliseconds or ISO 8601; null for anything else. */
function timeOf(value: unknown): number | null {
  if (typeof value === 'string') {
    const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(time) ? null : time;
  }
  if (typeof value !== 'number') return null;
  if (value >= 1e9 && value < 1e10) return value * 1000;
  return value >= 1e12 && value < 1e13 ? value : null;
}
