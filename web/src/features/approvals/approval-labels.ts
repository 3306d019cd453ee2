import type { ApprovalStatus } from '../../graphql/gen/documents.ts';
import type { StatusTone } from '../../theme.ts';

export const APPROVAL_STATUSES: Readonly<Record<ApprovalStatus, { label: string; tone: StatusTone }>> = {
  PENDING: { label: 'Waiting for approval', tone: 'late' },
  APPROVED: { label: 'Approved', tone: 'running' },
  DENIED: { label: 'Denied (not run)', tone: 'stopped' },
  EXPIRED: { label: 'Expired (not run)', tone: 'stopped' },
  WITHDRAWN: { label: 'Withdrawn (not run)', tone: 'stopped' },
  EXECUTED: { label: 'Executed', tone: 'done' },
  FAILED: { label: 'Failed', tone: 'failed' },
  OUTCOME_UNKNOWN: { label: 'Outcome unknown', tone: 'failed' },
};

const ORIGINS: Readonly<Record<string, string>> = {
  ALERT: 'from the alert',
  RUNBOOK: 'from the runbook',
  TOOL_OUTPUT: 'from a tool output',
  PERSON: 'from a user’s question',
  MODEL: 'chosen by the model',
  UNTRACED: 'origin unknown',
};

export function originLabel(origin: string): string {
  return ORIGINS[origin] ?? origin;
}
