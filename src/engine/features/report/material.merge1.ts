import type { NewAnswerReport, NewReport } from '../../store/reports.ts';
import type { GivenClaims, GivenReport } from './schema.ts';
import type { CheckedReport } from './verify/types.ts';

/** A report with what the check found, as it is kept. */
export function toStored(report: GivenReport, checked: CheckedReport): NewReport {
  const { verdict, headline, confidence, entities } = report;
  return {
    ...{ verdict, headline, confidence, entities: [...new Set(entities)] },
    evidenceScore: checked.evidenceScore,
    claims: claimsOf(report, checked),
  };
}

/** What an answer claims: advice and what it did not find out stand in its text, and nothing could prove them. */
export function toStoredClaims(given: GivenClaims, checked: CheckedReport): Omit<NewAnswerReport, 'stageId'> {
  const claims = claimsOf(given, checked).filter(({ status }) => status !== 'NOT_CHECKABLE');
  return { evidenceScore: checked.evidenceScore, claims };
}

function claimsOf(given: GivenClaims, checked: CheckedReport): NewReport['claims'] {
  return given.claims.map(({ kind, text, absence, citations }, index) => {
    const { status, problems, onlyUntrusted, citations: found } = checked.claims[index]!;
    return {
      ...{ kind, text, absence, status, onlyUntrusted },
      problem: problems.map(({ words }) => words).join(' ') || null,
      citations: citations.map((citation, at) => {
        const { problem, ...rest } = found[at]!;
        return { ...citation, ...rest, problem: problem?.words ?? null };
      }),
    };
  });
}
