import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { FailureTag, ScoreStatus } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, id, moment, oneOf, reference } from './columns.ts';

/** The dimensions of a score, each with 0–100 points. */
export type ScoreDimensions = Record<
  'outcome' | 'evidence' | 'tools' | 'reasoning' | 'completeness',
  { reason: string; points: number }
>;

/** A model's score of an investigation, one row per request, with a lease of its own. */
export const Score = defineEntity({
  name: 'Score',
  tableName: 'scores',
  properties: {
    id: id(),
    sessionId: () => reference(AlertSession, 'session_id'),
    status: oneOf<ScoreStatus>().default('PENDING'),
    requestedBy: p.text(),
    attempt: p.integer().default(0),
    workersLost: p.integer().default(0),
    leaseExpiresAt: moment().nullable(),
    cancelRequestedAt: moment().nullable(),
    total: p.integer().nullable(),
    dimensions: p.json<ScoreDimensions>().nullable(),
    failureTags: p.array().columnType('text[]').$type<FailureTag[]>().defaultRaw(`'{}'`),
    analysis: p.text().nullable(),
    toolReport: p.text().nullable(),
    modelName: p.text().nullable(),
    promptHash: p.text().nullable(),
    errorMessage: p.text().nullable(),
    createdAt: createdAt(),
    startedAt: moment().nullable(),
    completedAt: moment().nullable(),
  },
  uniques: [
    { name: 'scores_open', properties: ['sessionId'], where: `status in ('PENDING', 'IN_PROGRESS')` }, // at most one unfinished score per session
  ],
  indexes: [{ properties: ['sessionId', 'id'] }],
});
export type ScoreRow = InferEntity<typeof Score>;
