import type DataLoader from 'dataloader';
import type { TokenView } from '../access/tokens.ts';
import type { AuditEventRow } from '../db/entities/index.ts';
import type { Page } from './context.ts';
import type { PageArgs } from './intake-context.ts';

export interface AuditPageArgs extends PageArgs {
  actor?: readonly string[] | null | undefined;
  action?: readonly string[] | null | undefined;
  targetId?: string | null | undefined;
  from?: Date | null | undefined;
  to?: Date | null | undefined;
}

/** Reads of what concerns access. */
export interface AccessReads {
  /** Those that hold first, each newest first. */
  apiTokens(): Promise<TokenView[]>;
  /** Newest first. @throws a BAD_USER_INPUT error for limits and cursors that make no sense */
  auditEvents(args: AuditPageArgs): Promise<Page<AuditEventRow>>;
}

export interface AccessLoaders {
  apiToken: DataLoader<string, TokenView | null>;
  auditEvent: DataLoader<string, AuditEventRow | null>;
}
