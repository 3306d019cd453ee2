import type DataLoader from 'dataloader';
import type { ApprovalDecisionRow, ApprovalRow } from '../db/entities/index.ts';

export interface ApprovalReads {
  /** Those that wait for people, oldest first; at most 200. */
  pendingApprovals(): Promise<ApprovalRow[]>;
}

export interface ApprovalLoaders {
  approval: DataLoader<string, ApprovalRow | null>;
  /** Oldest first. */
  approvalsOfSession: DataLoader<string, ApprovalRow[]>;
  /** Oldest first. */
  decisionsOfApproval: DataLoader<string, ApprovalDecisionRow[]>;
}
