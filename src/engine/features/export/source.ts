import type {
  AgentExecutionRow,
  AlertRow,
  HypothesisRow,
  IntakeDecisionRow,
  ReportRow,
  ReviewActivityRow,
  ScoreRow,
  StageRow,
  StoredClaim,
  TimelineEventRow,
} from '../../../db/entities/index.ts';
import type { SessionSnapshot } from '../../api/engine.ts';

/** All contents of a session's export. Lists are in chronological order. */
export interface ExportSource {
  session: SessionSnapshot;
  title: string;
  alert: CutText;
  report: ReportRow | null;
  /** Possible causes that the agents examined. */
  hypotheses: ExportedHypothesis[];
  /** Latest complete score by the judging model; `null` if there is none. */
  score: ExportedScore | null;
  alerts: ExportedAlert[];
  decisions: Pick<IntakeDecisionRow, 'at' | 'outcome' | 'reason'>[];
  agents: ExportedAgent[];
  calls: ExportedCall[];
  /** Timeline events except tool calls and thoughts. */
  events: ExportedEvent[];
  reviews: Pick<ReviewActivityRow, 'at' | 'actor' | 'action' | 'note'>[];
}

/** The beginning of a stored text, and the length of the whole text (characters). */
export interface CutText {
  text: string;
  length: number;
}

export type ExportedHypothesis = Pick<
  HypothesisRow,
  'text' | 'state' | 'citations' | 'facts' | 'createdAt' | 'updatedAt'
> & { agent: string };

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
  /** Number with which claims cite the call (`T<number>`). */
  number: number;
  at: Date;
  status: TimelineEventRow['status'];
  server: string;
  tool: string;
  /** Beginning of the arguments' JSON. */
  arguments: string;
  /** `null` if no result is stored or the export has no room for it. */
  result: CutText | null;
}

export type ExportedEvent = Pick<TimelineEventRow, 'sequenceNumber' | 'type' | 'status' | 'metadata'> & {
  at: Date;
  text: CutText;
  stageType: StageRow['type'] | null;
  stageIndex: number | null;
  agent: string | null;
  /** Claims of an answer to a question; `null` for other events. */
  claims: StoredClaim[] | null;
};
