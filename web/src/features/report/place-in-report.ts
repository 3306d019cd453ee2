/** A place in a report: a claim, or one of the citations of it; both count from 1. */
export interface PlaceInReport {
  readonly claim: number;
  readonly citation: number | null;
}

/** What an address's hash names of a report, such as `#claim-3` and `#claim-3-1`; null when it is of something else. */
export function placeInReport(hash: string): PlaceInReport | null {
  const match = /^#claim-(\d{1,3})(?:-(\d{1,3}))?$/.exec(hash);
  if (match === null) return null;
  return { claim: Number(match[1]), citation: match[2] === undefined ? null : Number(match[2]) };
}

/** The hash that `placeInReport` reads. */
export function hashOf({ claim, citation }: PlaceInReport): string {
  return citation === null ? `#claim-${claim}` : `#claim-${claim}-${citation}`;
}
