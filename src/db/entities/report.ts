import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { CitationStatus, ClaimKind, ClaimStatus, Verdict } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, double, oneOf, reference } from './columns.ts';

/** A claim of a report, with the result of its verification. */
export interface StoredClaim {
  kind: ClaimKind;
  text: string;
  /** True if the claim, or one of its facts, says that something is not there. */
  absence: boolean;
  status: ClaimStatus;
  /** Why the claim is not SUPPORTED, in sentences; `null` if it is. */
  problem: string | null;
  /** True if all evidence of the claim is from untrusted tools. */
  onlyUntrusted: boolean;
  citations: StoredCitation[];
  /** Checked statements of the claim. Missing in reports that were stored before claims had facts. */
  facts?: StoredFact[];
}

/** Checked statement of a claim. All texts except the problem are from the model. */
export interface StoredFact {
  subject: string;
  /** `absent` if a call looked for the subject and found nothing. */
  attribute: string;
  /** Empty for an absence. */
  value: string;
  unit: string | null;
  /** True if the subject does not have the value. */
  negated: boolean;
  /** Index of the proving citation, from 0. The claim may have no such citation. */
  citation: number;
  /** Time range of an absence, as the claim states it; `null` if it states none or the fact is no absence. */
  window: string | null;
  /**
   * Further condition of an absence, such as a namespace or a level; `null` if there is none or the fact is no absence.
   */
  filter: string | null;
  status: ClaimStatus;
  /** Why the fact does not hold, in a sentence; `null` if it holds. */
  problem: string | null;
}

export interface StoredCitation {
  /** The cited text: the sequence number of a tool call in the session's timeline, the alert or the runbook. */
  source: number | 'ALERT' | 'RUNBOOK';
  quote: string;
  status: CitationStatus;
  problem: string | null;
  /** Position of the quote in the complete cited text (UTF-16 code units, end exclusive); `null` if not found. */
  start: number | null;
  end: number | null;
}

/** How many replicas of the last stage with replicas found the cause of the report. */
export interface StoredAgreement {
  /** Number of replicas. */
  runs: number;
  /** Number of replicas that agree with a cause of the report. */
  agreeing: number;
  /** Text of the cause with which most replicas agree, written by the model; `null` if none agrees. */
  cause: string | null;
}

/** The report of an investigation: verdict and verified claims. The row is written once. */
export const Report = defineEntity({
  name: 'Report',
  tableName: 'reports',
  properties: {
    sessionId: () => reference(AlertSession, 'session_id').primary(),
    verdict: oneOf<Verdict>(),
    headline: p.text(),
    confidence: double(), // 0–1, as stated by the model, at most the share of agreeing replicas
    entities: p.array().columnType('text[]'),
    labels: p.array().columnType('text[]').defaultRaw(`'{}'`),
    evidenceScore: double().nullable(), // share of causes and observations that are supported (0–1); null if there are none
    agreement: p.json<StoredAgreement>().nullable(), // null without replicas, or if the agreement is unknown
    claims: p.json<StoredClaim[]>(),
    createdAt: createdAt(),
  },
});
export type ReportRow = InferEntity<typeof Report>;
