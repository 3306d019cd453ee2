import type { AlertGroupRow, AlertRow, IntakeDecisionRow, SilenceRow } from '../db/entities/index.ts';
import type { AlertState, IntakeOutcome, Severity } from '../db/enums.ts';
import type { Page } from './context.ts';

export interface PageArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}

export interface AlertGroupFilterValue {
  state?: AlertState | null | undefined;
  severity?: readonly Severity[] | null | undefined;
  source?: readonly string[] | null | undefined;
  alertType?: readonly string[] | null | undefined;
  team?: readonly string[] | null | undefined;
  search?: string | null | undefined;
  since?: Date | null | undefined;
  before?: Date | null | undefined;
}

export interface DecisionPageArgs extends PageArgs {
  groupId?: string;
  outcome?: readonly IntakeOutcome[] | null | undefined;
  source?: readonly string[] | null | undefined;
}

/** What came of a source within a week. */
export interface SourceCounts {
  source: string;
  lastReceivedAt: Date | null;
  received: number;
  rejected: number;
}

/** Reads of what came from monitoring systems. @throws a BAD_USER_INPUT error for limits, cursors and filters that make no sense */
export interface IntakeReads {
  /** Told of last first. */
  alertGroups(
    args: PageArgs & { filter?: AlertGroupFilterValue | null | undefined },
  ): Promise<Page<AlertGroupRow>>;
  /** Oldest first. */
  alertsOfGroup(groupId: string, args: PageArgs): Promise<Page<AlertRow>>;
  /** Newest first. */
  intakeDecisions(args: DecisionPageArgs): Promise<Page<IntakeDecisionRow>>;
  /** Newest first; without `includeEnded` those that hold or will. */
  silences(args: PageArgs & { includeEnded?: boolean | null | undefined }): Promise<Page<SilenceRow>>;
  sourceCounts(): Promise<SourceCounts[]>;
}
