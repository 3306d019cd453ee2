import type DataLoader from 'dataloader';
import type { MemoryRow } from '../db/entities/index.ts';
import type { SessionSnapshot } from '../engine/engine.ts';
import type { Page } from './context.ts';
import type { PageArgs } from './intake-context.ts';

/** A session that ended, and how like another it is. */
export interface SimilarSession {
  sessionId: string;
  /** 0 to 1. */
  similarity: number;
  /** What they have in common, for people. */
  reason: string;
}

export interface MemoryPageArgs extends PageArgs {
  search?: string | null | undefined;
  alertType?: readonly string[] | null | undefined;
  includeDeprecated?: boolean | null | undefined;
}

/** Reads of what is remembered. @throws a BAD_USER_INPUT error for limits, cursors and filters that make no sense */
export interface MemoryReads {
  /** Newest first. */
  memories(args: MemoryPageArgs): Promise<Page<MemoryRow>>;
}

export interface MemoryLoaders {
  memory: DataLoader<string, MemoryRow | null>;
  /** Whose agents were given it, newest first; at most 100. */
  sessionsWithMemory: DataLoader<string, SessionSnapshot[]>;
  /** Best first; at most 5. */
  similarSessions: DataLoader<string, SimilarSession[]>;
}
