import { expect, it } from 'vitest';
import { AUDIT_ACTIONS, type AuditAction } from '../../src/db/audit-actions.ts';
import { schema } from '../../src/schema/index.ts';

/** The actions that each mutation records. A new mutation must be listed with its own. */
const RECORDED: Record<string, readonly AuditAction[]> = {
  submitAlert: ['session.submit'],
  cancelSession: ['session.cancel'],
  cancelSessions: ['session.cancel'],
  runSessionNow: ['session.run_now'],
  sendChatMessage: ['session.ask'],
  addHint: ['session.hint'],
  concludeSession: ['session.conclude'],
  reviewSessions: ['session.review'],
  scoreSession: ['session.score'],
  decideApproval: ['approval.approve', 'approval.deny'],
  investigateAlertGroup: ['alert_group.investigate'],
  createSilence: ['silence.create'],
  endSilence: ['silence.end'],
  createApiToken: ['token.create'],
  revokeApiToken: ['token.revoke'],
  updateMemory: ['memory.update'],
  deleteMemory: ['memory.delete'],
  redeliverNotification: ['notification.redeliver'],
  testNotificationChannel: ['notification.test'],
  createCase: ['case.create'],
  importCase: ['case.create'],
  deleteCase: ['case.delete'],
  replayCase: ['case.replay'],
  runSchedule: ['schedule.run'],
  saveView: ['view.save'],
  deleteView: ['view.delete'],
};

/** Actions of other doors: the directory of users and Slack. */
const ELSEWHERE: readonly AuditAction[] = ['user.end', 'user.restore', 'user.sign_out', 'slack.refuse'];

it('knows the action of each mutation', () => {
  const mutations = Object.keys(schema.getMutationType()!.getFields());
  expect(Object.keys(RECORDED).sort()).toEqual(mutations.sort());
  const recorded = new Set([...Object.values(RECORDED).flat(), ...ELSEWHERE]);
  expect([...recorded].sort()).toEqual([...AUDIT_ACTIONS].sort());
});
