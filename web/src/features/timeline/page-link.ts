/** The address of this page, or of a place on it: what a colleague is sent. */
export function pageLink(hash = ''): string {
  const { origin, pathname } = window.location;
  return `${origin}${pathname}${hash}`;
}

/** What a link's hash names: a stage by its index, or an item of the timeline by its sequence number. */
export interface Place {
  readonly kind: 'stage' | 'event';
  readonly number: number;
  /** Of what a tool answered, from 1. */
  readonly line: number | null;
}

export function placeOf(hash: string): Place | null {
  const match = /^#(stage|event)-(\d{1,9})(?:-line-(\d{1,9}))?$/.exec(hash);
  if (match === null) return null;
  const [, kind, number, line] = match;
  return {
    kind: kind as Place['kind'],
    number: Number(number),
    line: line === undefined ? null : Number(line),
  };
}
