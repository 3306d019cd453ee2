import type { UsageDimension } from '../../graphql/gen/documents.ts';

/** Numbers of days up to today that the viewer can select; the keys appear in the URL. */
export const SPANS = {
  '1': 'Today',
  '7': '7 days',
  '30': '30 days',
  '90': '90 days',
  '365': '365 days',
} as const;
export type Span = keyof typeof SPANS;

export const DIMENSIONS: Readonly<Record<UsageDimension, string>> = {
  MODEL: 'Model',
  ALERT_TYPE: 'Alert type',
  CHAIN: 'Chain',
  TEAM: 'Team',
  SOURCE: 'Source',
  DAY: 'Day',
};

/** The period and grouping selected on the usage page, all stored in its URL. Days are in UTC, as on the server. */
export interface UsageView {
  readonly span: Span | null;
  /** First and last day, such as 2026-11-23; both `null` if a span is selected. */
  readonly from: string | null;
  readonly to: string | null;
  readonly by: UsageDimension;
}

const DAY_MS = 24 * 3_600_000;
const MAX_DAYS = 400;

export function parseView(params: URLSearchParams): UsageView {
  const by = params.get('by') ?? '';
  const dimension = Object.hasOwn(DIMENSIONS, by) ? (by as UsageDimension) : 'MODEL';
  const from = dayIn(params.get('from'));
  const to = dayIn(params.get('to'));
  if (from !== null && to !== null && fits(from, to)) return { span: null, from, to, by: dimension };
  const span = params.get('span') ?? '';
  return { span: Object.hasOwn(SPANS, span) ? (span as Span) : '30', from: null, to: null, by: dimension };
}

export function formatView({ span, from, to, by }: UsageView): URLSearchParams {
  const params = new URLSearchParams();
  if (span !== null && span !== '30') params.set('span', span);
  if (from !== null) params.set('from', from);
  if (to !== null) params.set('to', to);
  if (by !== 'MODEL') params.set('by', by);
  return params;
}

export function fits(from: string, to: string): boolean {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return days >= 1 && days <= MAX_DAYS;
}

/** Returns the days of the view, including the first and last; `now` is in ms. */
export function daysOf({ span, from, to }: UsageView, now: number): string[] {
  const last = span === null ? Date.parse(to!) : Math.floor(now / DAY_MS) * DAY_MS;
  const first = span === null ? Date.parse(from!) : last - (Number(span) - 1) * DAY_MS;
  return Array.from({ length: (last - first) / DAY_MS + 1 }, (_, n) => dayOf(first + n * DAY_MS));
}

/** Returns the period of consecutive days; it ends at the start of the day after the last. */
export function periodOf(days: readonly string[]): { from: string; to: string } {
  const end = new Date(Date.parse(days.at(-1)!) + DAY_MS);
  return { from: `${days[0]}T00:00:00.000Z`, to: end.toISOString() };
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function dayIn(text: string | null): string | null {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(Date.parse(text))) return null;
  return dayOf(Date.parse(text)) === text ? text : null;
}
