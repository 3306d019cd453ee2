import type { NewReport } from '../journal/reports.ts';
import type { GivenReport } from './schema.ts';
import type { CheckedReport } from './types.ts';

/** A report with what the check found, as it is kept. */
export function toStored(report: GivenReport, checked: CheckedReport): NewReport {
  const { verdict, headline, confidence, entities } = report;
  const claims = report.claims.map(({ kind, text, absence, citations }, index) => {
    const { status, problems, onlyUntrusted, citations: found } = checked.claims[index]!;
    return {
      kind,
      text,
      absence,
      status,
      problem: problems.map(({ words }) => words).join(' ') || null,
      onlyUntrusted,
      citations: citations.map((citation, at) => {
        const { problem, ...rest } = found[at]!;
        return { ...citation, ...rest, problem: problem?.words ?? null };
      }),
    };
  });
  return {
    verdict,
    headline,
    confidence,
    entities: [...new Set(entities)],
    evidenceScore: checked.evidenceScore,
    claims,
  };
}
