import type { AnswerReportRow, ReportRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { insertInto, type RowChange, type RowWriter } from './event-statement.ts';

/** A report as it is stored. */
export type NewReport = Omit<ReportRow, 'sessionId' | 'createdAt'>;

const REPORT_COLUMNS = {
  verdict: 'text',
  headline: 'text',
  confidence: 'float8',
  entities: 'text[]',
  evidence_score: 'float8',
  claims: 'jsonb',
};

const REPORT: RowWriter = {
  name: 'report',
  columns: REPORT_COLUMNS,
  sql: insertInto('reports', REPORT_COLUMNS),
  returning: 't.verdict, t.confidence',
  from: 'report',
  set: () => 'verdict = report.verdict, confidence = report.confidence',
};

/** Stores the session's report, of which there is one; its verdict stands in the session's row, too. */
export function addReport(report: NewReport): RowChange {
  return { writer: REPORT, row: report };
}

/** Of the answer of a stage, as it is stored. */
export type NewAnswerReport = Omit<AnswerReportRow, 'sessionId' | 'createdAt'>;

const ANSWER_COLUMNS = { stage_id: 'uuid', evidence_score: 'float8', claims: 'jsonb' };

const ANSWER_REPORT: RowWriter = {
  name: 'answer_report',
  columns: ANSWER_COLUMNS,
  sql: insertInto('answer_reports', ANSWER_COLUMNS),
};

/** Stores what an answer claims. */
export function addAnswerReport(report: NewAnswerReport): RowChange {
  return { writer: ANSWER_REPORT, row: report };
}

/** Null when there is none. */
export async function readStoredReport(db: Queryable, sessionId: string): Promise<NewReport | null> {
  const { rows } = await db.query<NewReport>(
    prepared(`select verdict, headline, confidence, entities, evidence_score as "evidenceScore", claims
     from reports where session_id = $1`),
    [sessionId],
  );
  return rows[0] ?? null;
}
