const HOUR_MS = 3_600_000;

/** Relative time ranges by their names in the address. */
export const WITHIN = {
  '10m': { label: 'Last 10 minutes', ms: HOUR_MS / 6 },
  '1h': { label: 'Last hour', ms: HOUR_MS },
  '12h': { label: 'Last 12 hours', ms: 12 * HOUR_MS },
  '1d': { label: 'Last day', ms: 24 * HOUR_MS },
  '7d': { label: 'Last 7 days', ms: 168 * HOUR_MS },
  '30d': { label: 'Last 30 days', ms: 720 * HOUR_MS },
} as const;
export type Within = keyof typeof WITHIN;

/** A time range: relative (`within`), or between two times (RFC 3339, UTC; null = open end). */
export interface Period {
  readonly within: Within | null;
  readonly from: string | null;
  readonly to: string | null;
}

export function parsePeriod(params: URLSearchParams): Period {
  const within = params.get('within') ?? '';
  if (Object.hasOwn(WITHIN, within)) return { within: within as Within, from: null, to: null };
  const moment = (name: string): string | null => {
    const time = Date.parse(params.get(name) ?? '');
    return Number.isNaN(time) ? null : new Date(time).toISOString();
  };
  return { within: null, from: moment('from'), to: moment('to') };
}

export function formatPeriod(period: Period, params: URLSearchParams): void {
  for (const key of ['within', 'from', 'to'] as const) {
    if (period[key] !== null) params.set(key, period[key]);
  }
}

/**
 * Returns both ends of a period; null = open end. A relative period begins its length before `now` (ms) and
 * has no end.
 */
export function periodBounds({ within, from, to }: Period, now: number): Pick<Period, 'from' | 'to'> {
  return within === null ? { from, to } : { from: new Date(now - WITHIN[within].ms).toISOString(), to: null };
}

export function isAnyTime({ within, from, to }: Period): boolean {
  return within === null && from === null && to === null;
}
