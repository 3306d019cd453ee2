/** How close a change is to the alerted workload. Own changes can cause the alert by themselves. */
export type Nearness = 'own' | 'near' | 'other';

/** One change in a cluster or repository. */
export interface Change {
  /** Stable identifier that show_change reads: the kind and the places of the objects. */
  id: string;
  /** Time of the change (ms since 1970). */
  time: number;
  /** One word for the kind of change, such as `rollout`. */
  kind: string;
  /** The changed object, such as `deployment shop/checkout`. */
  object: string;
  /** One line: before and after. */
  summary: string;
  /** The manager, controller or author; `null` if unknown. */
  by: string | null;
  nearness: Nearness;
}

/** The time span that is searched, with the start of the alert (ms since 1970). */
export interface Window {
  since: number;
  until: number;
  alertStart: number;
}

export function isWithin(time: number | null, { since, until }: Window): time is number {
  return time !== null && time >= since && time <= until;
}

const NEARNESS: readonly Nearness[] = ['own', 'near', 'other'];

/**
 * Returns the changes, likeliest cause first. Changes after the alert's start come last, because they cannot cause it.
 * The workload's own changes come before its surroundings and others; then the nearest to the alert's start comes first.
 */
export function rank(changes: readonly Change[], alertStart: number): Change[] {
  const keys = ({ time, nearness }: Change) => [
    time > alertStart ? 1 : 0,
    NEARNESS.indexOf(nearness),
    Math.abs(alertStart - time),
  ];
  return changes
    .map((change) => ({ change, keys: keys(change) }))
    .sort((a, b) => a.keys.map((key, at) => key - b.keys[at]!).find((difference) => difference !== 0) ?? 0)
    .map(({ change }) => change);
}

/** Joins the parts of an identifier. */
export function changeId(kind: string, ...parts: readonly (string | number)[]): string {
  return [kind, ...parts].join('/');
}

/** Formats a time in UTC with seconds: `2026-11-28T09:50:12Z`. */
export function formatTime(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}
