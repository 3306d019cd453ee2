/** Changes by users and tokens that are audited, as `<thing>.<verb>`. */
export const AUDIT_ACTIONS = [
  'session.submit',
  'session.cancel',
  'session.run_now',
  'session.ask',
  'session.hint',
  'session.conclude',
  'session.review',
  'session.score',
  'approval.approve',
  'approval.deny',
  'alert_group.investigate',
  'silence.create',
  'silence.end',
  'token.create',
  'token.revoke',
  'memory.update',
  'memory.delete',
  'case.create',
  'case.delete',
  'case.replay',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
