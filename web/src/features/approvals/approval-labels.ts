import type { ApprovalStatus } from '../../graphql/gen/documents.ts';
import type { StatusTone } from '../../theme.ts';

export const APPROVAL_STATUSES: Readonly<Record<ApprovalStatus, { label: string; tone: StatusTone }>> = {
  PENDING: { label: 'Waiting for approval', tone: 'late' },
  APPROVED: { label: 'Approved', tone: 'running' },
  DENIED: { label: 'Denied', tone: 'stopped' },
  EXPIRED: { label: 'Expired, not run', tone: 'stopped' },
  WITHDRAWN: { label: 'Withdrawn, not run', tone: 'stopped' },
  EXECUTED: { label: 'Done', tone: 'done' },
  FAILED: { label: 'Failed', tone: 'failed' },
  OUTCOME_UNKNOWN: { label: 'Started; outcome unknown', tone: 'failed' },
};

const ORIGINS: Readonly<Record<string, string>> = {
  ALERT: 'in the alert',
  RUNBOOK: 'in the runbook',
  TOOL_OUTPUT: 'in a tool’s result',
  PERSON: 'in a question',
  MODEL: 'nowhere: the model’s own',
  UNTRACED: 'not traced',
};

export function originLabel(origin: string): string {
  return ORIGINS[origin] ?? origin;
}
