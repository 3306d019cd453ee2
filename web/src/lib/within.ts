const HOUR_MS = 3_600_000;

/** Times that a list can be narrowed to, by their names in its address. */
export const WITHIN = {
  '10m': { label: 'Last 10 minutes', ms: HOUR_MS / 6 },
  '1h': { label: 'Last hour', ms: HOUR_MS },
  '12h': { label: 'Last 12 hours', ms: 12 * HOUR_MS },
  '1d': { label: 'Last day', ms: 24 * HOUR_MS },
  '7d': { label: 'Last 7 days', ms: 168 * HOUR_MS },
  '30d': { label: 'Last 30 days', ms: 720 * HOUR_MS },
} as const;
export type Within = keyof typeof WITHIN;

/** Within the last so and so long; else between two moments (RFC 3339, UTC), either of which may be open. */
export interface Period {
  readonly within: Within | null;
  readonly from: string | null;
  readonly to: string | null;
}

/** What an address says; what it says wrong counts as not said. */
export function parsePeriod(params: URLSearchParams): Period {
  const within = params.get('within') ?? '';
  if (Object.hasOwn(WITHIN, within)) return { within: within as Within, from: null, to: null };
  const moment = (name: string): string | null => {
    const time = Date.parse(params.get(name) ?? '');
    return Number.isNaN(time) ? null : new Date(time).toISOString();
  };
  return { within: null, from: moment('from'), to: moment('to') };
}

/** Writes it into an address, as `parsePeriod` reads it. */
export function formatPeriod(period: Period, params: URLSearchParams): void {
  for (const key of ['within', 'from', 'to'] as const) {
    if (period[key] !== null) params.set(key, period[key]);
  }
}

/** Its two ends; `now` in ms is what relative times count from. */
export function endsOf({ within, from, to }: Period, now: number): Pick<Period, 'from' | 'to'> {
  return within === null ? { from, to } : { from: new Date(now - WITHIN[within].ms).toISOString(), to: null };
}

export function isOpen({ within, from, to }: Period): boolean {
  return within === null && from === null && to === null;
}
