import type DataLoader from 'dataloader';
import type { BudgetConfig, Named } from '../config/types.ts';
import type { SessionSnapshot } from '../engine/engine.ts';
import type { UsageDimension } from './args.ts';
import type { SessionFilterValue } from './context.ts';
import type { TokenCounts } from './types/token-usage.ts';

/** What calls of models cost: USD of those that have a price, and how many have none. */
export interface CostValue {
  usd: number;
  unpricedCalls: number;
}

/** Calls of models from one moment to before another, of the sessions that a filter finds. */
export interface UsageArgs {
  from: Date;
  to: Date;
  by: UsageDimension;
  filter?: SessionFilterValue | null | undefined;
}

/** What calls with something in common took. */
export interface UsageFigures extends TokenCounts, CostValue {
  key: string;
  sessions: number;
  calls: number;
}

/** How a budget stands. */
export interface BudgetStateView {
  name: string;
  scope: string;
  limitUsd: number | null;
  limitTokens: number | null;
  usedUsd: number;
  usedTokens: number;
  periodEndsAt: Date | null;
  degradation: string | null;
}

export interface UsageReads {
  /** In the order of the configuration. */
  budgets(configured: Named<BudgetConfig>): Promise<BudgetStateView[]>;
  /** Dearest first, days in their order. @throws a BAD_USER_INPUT error for a period or filter that makes no sense */
  usage(args: UsageArgs): Promise<{ total: UsageFigures; rows: UsageFigures[] }>;
  /** The 20 sessions whose calls of the period cost most, dearest first. */
  dearestSessions(args: UsageArgs): Promise<SessionSnapshot[]>;
}

/** What calls cost, added up from themselves. */
export interface CostLoaders {
  costOfSession: DataLoader<string, CostValue>;
  costOfStage: DataLoader<string, CostValue>;
  costOfExecution: DataLoader<string, CostValue>;
}
