import type { CheckedClaimFragment } from '../../graphql/gen/documents.ts';

/** Position of a claim or citation, both numbered from 1. `citation` is `null` for the claim itself. */
export interface ReportPosition {
  /** Index of the stage whose answer makes the claim; `null` for the investigation's report. */
  readonly answer: number | null;
  readonly claim: number;
  readonly citation: number | null;
}

const HASH = /^#(?:answer-(\d{1,6})-)?claim-(\d{1,3})(?:-(\d{1,3}))?$/;

/** Parses a URL hash such as `#claim-3`, `#claim-3-1` or `#answer-4-claim-3-1`; `null` for any other hash. */
export function parseReportHash(hash: string): ReportPosition | null {
  const match = HASH.exec(hash);
  if (match === null) return null;
  const [answer, claim, citation] = match
    .slice(1)
    .map((digits) => (digits === undefined ? null : Number(digits)));
  return { answer: answer ?? null, claim: claim ?? 0, citation: citation ?? null };
}

/** Returns the URL hash of a position; `parseReportHash` parses it. */
export function reportHash({ answer, claim, citation }: ReportPosition): string {
  return `#${answer === null ? '' : `answer-${answer}-`}claim-${claim}${citation === null ? '' : `-${citation}`}`;
}

/** True if this page can show the cited text: a timeline item or the alert. */
export const canOpen = ({ source, timelineEvent }: CheckedClaimFragment['citations'][number]): boolean =>
  timelineEvent !== null || source === 'ALERT';
