import type { AnswerReportRow, ReportRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { insertInto, type RowChange, type RowWriter } from './event-statement.ts';

export type NewReport = Omit<ReportRow, 'sessionId' | 'createdAt'>;

const REPORT: RowWriter = {
  name: 'report',
  ...insertInto(
    'reports',
    'verdict text, headline text, confidence float8, entities text[], labels text[], evidence_score float8, agreement jsonb, claims jsonb',
  ),
  returning: 't.verdict, t.confidence, t.labels',
  from: 'report',
  set: () => 'verdict = report.verdict, confidence = report.confidence, labels = report.labels',
};

const REPORT_BY_RULES: RowWriter = {
  ...REPORT,
  set: () => 'verdict = report.verdict, confidence = null, labels = report.labels',
};

/**
 * Stores the session's only report and copies verdict, confidence and labels to the session's row. A report of the offline
 * rules leaves the session without confidence, so that track records of models do not count it.
 */
export const addReport = (report: NewReport, byRules: boolean): RowChange => ({
  writer: byRules ? REPORT_BY_RULES : REPORT,
  row: report,
});

export type NewAnswerReport = Omit<AnswerReportRow, 'sessionId' | 'createdAt'>;

const ANSWER_REPORT: RowWriter = {
  name: 'answer_report',
  ...insertInto('answer_reports', 'stage_id uuid, evidence_score float8, claims jsonb'),
};

export const addAnswerReport = (report: NewAnswerReport): RowChange => ({
  writer: ANSWER_REPORT,
  row: report,
});

export async function readStoredReport(db: Queryable, sessionId: string): Promise<NewReport | null> {
  const { rows } = await db.query<NewReport>(
    prepared(`select verdict, headline, confidence, entities, labels, evidence_score as "evidenceScore", agreement, claims
     from reports where session_id = $1`),
    [sessionId],
  );
  return rows[0] ?? null;
}
