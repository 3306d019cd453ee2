import type { Logger } from 'pino';
import type { Queryable } from '../../db/queryable.ts';
import type { Change, Fence } from './event-statement.ts';
import type { SessionOutcome } from './sessions.ts';
import type { WorkEnd } from './stages-and-executions.ts';

/** Work that was taken: whose session it is for, and how its lease is kept. */
export interface Claim extends Omit<Lease, 'sessionId'> {
  fence: Fence;
  /** By what a cancel names it; default: its session. */
  cancelledAs?: string;
  logger: Logger;
}

/** What work has while it is held. */
export interface ClaimedRun {
  fence: Fence;
  /** Aborts when the work shall stop, with the reason why. */
  signal: AbortSignal;
  /** The database, for as long as this run may write. */
  db: Queryable;
  logger: Logger;
}

/** How work ended, and what it came to. `noted`: written with its end. */
export type Outcome = WorkEnd & Partial<SessionOutcome> & { noted?: readonly Change[] };

export interface Lease {
  sessionId: string;
  /** Milliseconds since the work was first begun, over all its runs, by the database's clock. */
  elapsedMs: number;
  /** Prolongs the lease and tells whether the work shall stop; null = the lease is lost. */
  renew: () => Promise<{ cancel: boolean } | null>;
}

export interface LeaseLimits {
  leaseDurationMs: number;
  heartbeatIntervalMs: number;
  /** Milliseconds that the work may take, over all its runs. */
  sessionTimeoutMs: number;
}
