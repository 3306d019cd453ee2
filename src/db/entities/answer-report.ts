import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, double, reference } from './columns.ts';
import type { StoredClaim } from './report.ts';
import { Stage } from './stage.ts';

/** The report of a chat answer: its verified claims. The row is written once. */
export const AnswerReport = defineEntity({
  name: 'AnswerReport',
  tableName: 'answer_reports',
  properties: {
    stageId: () => reference(Stage, 'stage_id').primary(),
    sessionId: p.uuid(), // session of the stage
    evidenceScore: double().nullable(), // share of causes and observations that are supported (0–1); null if there are none
    claims: p.json<StoredClaim[]>(),
    createdAt: createdAt(),
  },
});
export type AnswerReportRow = InferEntity<typeof AnswerReport>;
