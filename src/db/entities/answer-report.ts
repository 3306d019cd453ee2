import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt } from './columns.ts';
import type { StoredClaim } from './report.ts';
import { Stage } from './stage.ts';

/** What the answer to a question says, in parts that were checked. Written once. */
export const AnswerReport = defineEntity({
  name: 'AnswerReport',
  tableName: 'answer_reports',
  properties: {
    stageId: () => p.manyToOne(Stage).mapToPk().fieldName('stage_id').deleteRule('cascade').primary(),
    sessionId: p.uuid(), // the stage's
    evidenceScore: p.float().columnType('double precision').nullable(), // 0 to 1; null when there is nothing to count
    claims: p.json<StoredClaim[]>(),
    createdAt: createdAt(),
  },
});
export type AnswerReportRow = InferEntity<typeof AnswerReport>;
