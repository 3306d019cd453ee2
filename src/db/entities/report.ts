import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { type CitationStatus, type ClaimKind, type ClaimStatus, VERDICTS } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, oneOf } from './columns.ts';

/** A claim of a report, with what the server found when it checked it. */
export interface StoredClaim {
  kind: ClaimKind;
  text: string;
  absence: boolean;
  status: ClaimStatus;
  /** Why it is not SUPPORTED, in sentences; null when nothing is wrong. */
  problem: string | null;
  /** All that it rests on was written by strangers. */
  onlyUntrusted: boolean;
  citations: StoredCitation[];
}

export interface StoredCitation {
  /** The place of a tool call in the session's timeline, or what else is cited. */
  source: number | 'ALERT' | 'RUNBOOK';
  quote: string;
  status: CitationStatus;
  problem: string | null;
  /** Of the quote in the whole text that is cited, in UTF-16 code units, end exclusive; null when it is not there. */
  start: number | null;
  end: number | null;
}

/** What an investigation says, in parts that were checked. Written once. */
export const Report = defineEntity({
  name: 'Report',
  tableName: 'reports',
  properties: {
    sessionId: () =>
      p.manyToOne(AlertSession).mapToPk().fieldName('session_id').deleteRule('cascade').primary(),
    verdict: oneOf(VERDICTS),
    headline: p.text(),
    confidence: p.float().columnType('double precision'), // 0 to 1, as the model gave it
    entities: p.array().columnType('text[]'),
    evidenceScore: p.float().columnType('double precision').nullable(), // 0 to 1; null when there is nothing to count
    claims: p.json<StoredClaim[]>(),
    createdAt: createdAt(),
  },
});
export type ReportRow = InferEntity<typeof Report>;
