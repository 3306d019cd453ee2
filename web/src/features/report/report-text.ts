import type { SessionReportFragment } from '../../graphql/gen/documents.ts';

type Rated = Pick<
  SessionReportFragment['trackRecord'],
  'reviewed' | 'accurate' | 'partiallyAccurate' | 'inaccurate'
>;

/** Names of cited sources that are no tool results. */
export const SOURCES: Readonly<Record<string, string>> = { ALERT: 'Alert', RUNBOOK: 'Runbook' };

/** Formats a share (0–1) as a percentage. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Describes how accurate the reviewed reports with the same alert type, chain and verdict were. */
export function trackRecordText({ reviewed, accurate, partiallyAccurate, inaccurate }: Rated): string {
  if (reviewed === 0) return 'No reports like this have been reviewed yet.';
  const others = [
    partiallyAccurate === 0 ? null : `${partiallyAccurate} partly right`,
    inaccurate === 0 ? null : `${inaccurate} wrong`,
  ].filter((part) => part !== null);
  const rest = others.length === 0 ? '' : ` (${others.join(', ')})`;
  return `${accurate} of ${reviewed} reviewed reports like this ${accurate === 1 ? 'was' : 'were'} right${rest}.`;
}

/** Describes how many causes and observations the tool outputs support; `null` if the report has none. */
export function evidenceText({
  claims,
  evidenceScore,
}: Pick<SessionReportFragment, 'claims' | 'evidenceScore'>): string | null {
  if (evidenceScore === null) return null;
  const counted = claims.filter(({ kind }) => kind === 'CAUSE' || kind === 'OBSERVATION');
  const supported = counted.filter(({ status }) => status === 'SUPPORTED').length;
  return `${supported} of ${counted.length} causes and observations supported by tool outputs (${percent(evidenceScore)}).`;
}

/** Returns the problems of a claim without those of its facts, which are shown beside the facts; `null` if none. */
export function otherProblems({
  problem,
  facts,
}: {
  readonly problem: string | null;
  readonly facts: readonly { readonly problem: string | null }[];
}): string | null {
  const rest = facts.reduce((text, fact) => text.replace(fact.problem ?? '', ''), problem ?? '');
  return rest.replace(/\s+/g, ' ').trim() || null;
}
