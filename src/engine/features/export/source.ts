import type {
  AgentExecutionRow,
  AlertRow,
  IntakeDecisionRow,
  ReportRow,
  ReviewActivityRow,
  ScoreRow,
  StageRow,
  StoredClaim,
  TimelineEventRow,
} from '../../../db/entities/index.ts';
import type { SessionSnapshot } from '../../api/engine.ts';

/** All that an export of a session is made of. Lists are in the order of their times. */
export interface ExportSource {
  session: SessionSnapshot;
  title: string;
  alert: CutText;
  report: ReportRow | null;
  /** The latest that is whole: what a judging model thinks. */
  score: ExportedScore | null;
  /** What its alerts were, as their source told. */
  alerts: ExportedAlert[];
  decisions: Pick<IntakeDecisionRow, 'at' | 'outcome' | 'reason'>[];
  agents: ExportedAgent[];
  calls: ExportedCall[];
  /** What else stands in the timeline, but thoughts. */
  events: ExportedEvent[];
  reviews: Pick<ReviewActivityRow, 'at' | 'actor' | 'action' | 'note'>[];
}

/** The beginning of a text. */
export interface CutText {
  text: string;
  /** Of all of it, in characters. */
  length: number;
}

export type ExportedScore = Pick<
  ScoreRow,
  'total' | 'dimensions' | 'failureTags' | 'analysis' | 'modelName' | 'completedAt'
>;

export type ExportedAlert = Pick<
  AlertRow,
  'title' | 'severity' | 'state' | 'source' | 'startsAt' | 'endsAt' | 'firstReceivedAt'
>;

export type ExportedAgent = Pick<
  AgentExecutionRow,
  'agentName' | 'modelName' | 'status' | 'errorMessage' | 'startedAt' | 'completedAt'
> & { stage: string; stageIndex: number; stageType: StageRow['type'] };

export interface ExportedCall {
  /** By which it is cited. */
  number: number;
  at: Date;
  status: TimelineEventRow['status'];
  server: string;
  tool: string;
  /** JSON, its beginning. */
  arguments: string;
  /** Null: nothing is stored of it, or there was no room. */
  result: CutText | null;
}

export type ExportedEvent = Pick<TimelineEventRow, 'sequenceNumber' | 'type' | 'status' | 'metadata'> & {
  at: Date;
  text: CutText;
  stageType: StageRow['type'] | null;
  stageIndex: number | null;
  agent: string | null;
  /** Of the answer to a question. */
  claims: StoredClaim[] | null;
};
