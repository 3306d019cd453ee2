/** Returns the absolute URL of the current page, with `hash` in place of the current hash. */
export function pageUrl(hash = ''): string {
  const { origin, pathname } = window.location;
  return `${origin}${pathname}${hash}`;
}

/** A position in the timeline, as a URL hash names it: a stage by its index, or an item by its sequence number. */
export interface TimelinePosition {
  readonly kind: 'stage' | 'event';
  readonly number: number;
  /** Line of a tool's result, from 1; `null` if the hash names none. */
  readonly line: number | null;
}

export function parseTimelineHash(hash: string): TimelinePosition | null {
  const match = /^#(stage|event)-(\d{1,9})(?:-line-(\d{1,9}))?$/.exec(hash);
  if (match === null) return null;
  const [, kind, number, line] = match;
  return {
    kind: kind as TimelinePosition['kind'],
    number: Number(number),
    line: line === undefined ? null : Number(line),
  };
}
