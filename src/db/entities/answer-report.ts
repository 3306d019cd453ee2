import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt } from './columns.ts';
import type { StoredClaim } from './report.ts';
import { Stage } from './stage.ts';

/** The report of an answer to a question: claims that were checked. Written once. */
export const AnswerReport = defineEntity({
  name: 'AnswerReport',
  tableName: 'answer_reports',
  properties: {
    stageId: () => p.manyToOne(Stage).mapToPk().fieldName('stage_id').deleteRule('cascade').primary(),
    sessionId: p.uuid(), // of the stage
    evidenceScore: p.float().columnType('double precision').nullable(), // 0–1; null if no claim counts
    claims: p.json<StoredClaim[]>(),
    createdAt: createdAt(),
  },
});
export type AnswerReportRow = InferEntity<typeof AnswerReport>;
