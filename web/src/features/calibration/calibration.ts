import type { CalibrationRecordFragment } from '../../graphql/gen/documents.ts';

const DAY_MS = 86_400_000;

/** How far back what was submitted counts, by its name in the address. */
export const SPANS = {
  '30d': { label: 'Last 30 days', days: 30 },
  '90d': { label: 'Last 90 days', days: 90 },
  '365d': { label: 'Last year', days: 365 },
} as const;
export type Span = keyof typeof SPANS;

/** What the page shows: all of it is in its address. */
export interface CalibrationView {
  /** Null: all that is kept. */
  readonly span: Span | null;
  /** The alert type and chain whose diagram is shown; null: of all. */
  readonly chosen: { readonly alertType: string; readonly chainId: string } | null;
}

/** What an address says; what it says wrong counts as not said. */
export function parseCalibration(params: URLSearchParams): CalibrationView {
  const span = params.get('within') ?? '';
  const alertType = params.get('type');
  const chainId = params.get('chain');
  return {
    span: Object.hasOwn(SPANS, span) ? (span as Span) : null,
    chosen: alertType === null || chainId === null ? null : { alertType, chainId },
  };
}

/** The address of a view. */
export function formatCalibration({ span, chosen }: CalibrationView): string {
  const params = new URLSearchParams();
  if (span !== null) params.set('within', span);
  if (chosen !== null) {
    params.set('type', chosen.alertType);
    params.set('chain', chosen.chainId);
  }
  return params.toString();
}

/** The moment from which on it counts; to the hour, so that the same question is asked again. `now` in ms. */
export function sinceOf({ span }: CalibrationView, now: number): string | null {
  if (span === null) return null;
  const hour = 3_600_000;
  return new Date(Math.floor((now - SPANS[span].days * DAY_MS) / hour) * hour).toISOString();
}

type Counts = Pick<CalibrationRecordFragment, 'reviewed' | 'accurate' | 'partiallyAccurate'>;

/** How right they were: the mean of right 1, partly 0.5, wrong 0; null without reviews. */
export function accuracyOf({ reviewed, accurate, partiallyAccurate }: Counts): number | null {
  return reviewed === 0 ? null : (accurate + partiallyAccurate / 2) / reviewed;
}

/**
 * The Brier score of somebody who knows nothing of the single alert, and says each time how right they are on the
 * whole: what is not below it is of no use. Null without reviews.
 */
export function baseScore(counts: Counts): number | null {
  const mean = accuracyOf(counts);
  if (mean === null) return null;
  const { reviewed, accurate, partiallyAccurate } = counts;
  const squares = accurate + partiallyAccurate / 4;
  return squares / reviewed - mean ** 2;
}
