import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, double, reference } from './columns.ts';
import type { StoredClaim } from './report.ts';
import { Stage } from './stage.ts';

/** The report of an answer to a question: claims that were checked. Written once. */
export const AnswerReport = defineEntity({
  name: 'AnswerReport',
  tableName: 'answer_reports',
  properties: {
    stageId: () => reference(Stage, 'stage_id').primary(),
    sessionId: p.uuid(), // of the stage
    evidenceScore: double().nullable(), // 0–1; null if no claim counts
    claims: p.json<StoredClaim[]>(),
    createdAt: createdAt(),
  },
});
export type AnswerReportRow = InferEntity<typeof AnswerReport>;
