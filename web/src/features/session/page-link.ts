/** The address of this page, or of a place on it: what a colleague is sent. */
export function pageLink(hash = ''): string {
  const { origin, pathname } = window.location;
  return `${origin}${pathname}${hash}`;
}

/** What a link's hash names: a stage by its index, or an item of the timeline by its sequence number. */
export type Place = { readonly kind: 'stage' | 'event'; readonly number: number };

export function placeOf(hash: string): Place | null {
  const match = /^#(stage|event)-(\d{1,9})$/.exec(hash);
  return match === null ? null : { kind: match[1] as Place['kind'], number: Number(match[2]) };
}
