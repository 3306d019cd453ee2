import type { CalibrationRecordFragment } from '../../graphql/gen/documents.ts';

const DAY_MS = 86_400_000;

/** Periods of submission that the viewer can select; the keys appear in the URL. */
export const SPANS = {
  '30d': { label: 'Last 30 days', days: 30 },
  '90d': { label: 'Last 90 days', days: 90 },
  '365d': { label: 'Last year', days: 365 },
} as const;
export type Span = keyof typeof SPANS;

/** The view of the page; the page's URL contains all of it. */
export interface CalibrationView {
  readonly span: Span | null;
  /** Alert type and chain that the diagram shows; `null` = all investigations. */
  readonly chosen: { readonly alertType: string; readonly chainId: string } | null;
}

export function parseCalibration(params: URLSearchParams): CalibrationView {
  const span = params.get('within') ?? '';
  const alertType = params.get('type');
  const chainId = params.get('chain');
  return {
    span: Object.hasOwn(SPANS, span) ? (span as Span) : null,
    chosen: alertType === null || chainId === null ? null : { alertType, chainId },
  };
}

export function formatCalibration({ span, chosen }: CalibrationView): string {
  const params = new URLSearchParams();
  if (span !== null) params.set('within', span);
  if (chosen !== null) {
    params.set('type', chosen.alertType);
    params.set('chain', chosen.chainId);
  }
  return params.toString();
}

/** Returns the start of the period, rounded down to the hour so that repeated queries are equal; `now` is in ms. */
export function sinceOf({ span }: CalibrationView, now: number): string | null {
  if (span === null) return null;
  const hour = 3_600_000;
  return new Date(Math.floor((now - SPANS[span].days * DAY_MS) / hour) * hour).toISOString();
}

type Counts = Pick<CalibrationRecordFragment, 'reviewed' | 'accurate' | 'partiallyAccurate'>;

/** Returns the mean accuracy (0–1). An accurate report counts 1, a partly accurate one 0.5. `null` without reviews. */
export function accuracyOf({ reviewed, accurate, partiallyAccurate }: Counts): number | null {
  return reviewed === 0 ? null : (accurate + partiallyAccurate / 2) / reviewed;
}

/**
 * Returns the Brier score of a forecast that always predicts the mean accuracy; `null` without reviews. A
 * confidence is informative only if its own Brier score is lower.
 */
export function baseScore(counts: Counts): number | null {
  const mean = accuracyOf(counts);
  if (mean === null) return null;
  const { reviewed, accurate, partiallyAccurate } = counts;
  const squares = accurate + partiallyAccurate / 4;
  return squares / reviewed - mean ** 2;
}
