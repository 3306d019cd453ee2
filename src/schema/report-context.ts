import type DataLoader from 'dataloader';
import type { AnswerReportRow, ReportRow, StoredClaim, TimelineEventRow } from '../db/entities/index.ts';
import type { Verdict } from '../db/enums.ts';

/** A report without its claims, which are read only when asked for. */
export type ReportHead = Omit<ReportRow, 'claims'>;

/** Which investigations a track record is of; null = all. */
export interface RecordFilter {
  alertType: string | null;
  chainId: string | null;
  verdict: Verdict | null;
  since: Date | null;
}

/** How right investigations were, as people said in reviews. */
export interface TrackRecord {
  reviewed: number;
  accurate: number;
  partiallyAccurate: number;
  inaccurate: number;
  brierScore: number | null;
  reliability: readonly ReliabilityBucket[];
}

/** Reviewed investigations whose report was about as confident. */
export interface ReliabilityBucket {
  from: number;
  to: number;
  reviewed: number;
  /** Means; 0 to 1. */
  confidence: number;
  accuracy: number;
}

/** The track record of one alert type and chain. */
export interface AlertTypeRecord {
  alertType: string;
  chainId: string;
  record: TrackRecord;
}

export interface ReportReads {
  /** Of the investigations that who asks may see. */
  trackRecord(filter: RecordFilter): Promise<TrackRecord>;
  /** The same for each alert type and chain, those with the most reviews first; at most 200. */
  trackRecords(since: Date | null): Promise<AlertTypeRecord[]>;
}

export interface ReportLoaders {
  reportOfSession: DataLoader<string, ReportHead | null>;
  claimsOfReport: DataLoader<string, Pick<ReportRow, 'sessionId' | 'claims'> | null>;
  /** By the stage of the answer. */
  reportOfAnswer: DataLoader<string, AnswerReportRow | null>;
  /** By the key of `recordKey`. */
  trackRecord: DataLoader<string, TrackRecord>;
  /** The tool call with this place in the session's timeline, by the key of `eventKey`. */
  citedEvent: DataLoader<string, TimelineEventRow | null>;
  /** The whole result of a tool call, by its timeline event. */
  wholeOutput: DataLoader<string, string | null>;
}

/** Of an alert type, a chain and a verdict. */
export const recordKey = (...of: [alertType: string, chainId: string, verdict: Verdict]): string =>
  JSON.stringify(of);

export const eventKey = (sessionId: string, sequenceNumber: number): string =>
  `${sessionId}:${sequenceNumber}`;

/** A claim, and whose it is. */
export interface ClaimView extends StoredClaim {
  sessionId: string;
  /** The session, or the stage of the answer. */
  owner: string;
  /** Among the claims, from 1. */
  place: number;
}

/** Claims with their places. */
export const claimViews = (
  claims: readonly StoredClaim[],
  of: Pick<ClaimView, 'sessionId' | 'owner'>,
): ClaimView[] => claims.map((claim, index) => ({ ...claim, ...of, place: index + 1 }));
