/** A place in a report: a claim, or one of the citations of it; both count from 1. */
export interface PlaceInReport {
  /** Index of the stage whose answer claims it; null of the report of the investigation. */
  readonly answer: number | null;
  readonly claim: number;
  readonly citation: number | null;
}

const HASH = /^#(?:answer-(\d{1,6})-)?claim-(\d{1,3})(?:-(\d{1,3}))?$/;

/** What an address's hash names of a report, such as `#claim-3`, `#claim-3-1` and `#answer-4-claim-3-1`; null when it is of something else. */
export function placeInReport(hash: string): PlaceInReport | null {
  const match = HASH.exec(hash);
  if (match === null) return null;
  const [answer, claim, citation] = match
    .slice(1)
    .map((digits) => (digits === undefined ? null : Number(digits)));
  return { answer: answer ?? null, claim: claim ?? 0, citation: citation ?? null };
}

/** The hash that `placeInReport` reads. */
export function hashOf({ answer, claim, citation }: PlaceInReport): string {
  return `#${answer === null ? '' : `answer-${answer}-`}claim-${claim}${citation === null ? '' : `-${citation}`}`;
}
