import { AUDIT_ACTIONS } from '../../db/audit-actions.ts';
import type { AuditEventRow } from '../../db/entities/index.ts';
import { builder, nodeType } from '../builder.ts';
import { encodeGlobalId } from '../ids.ts';
import { queryCost } from '../query-cost.ts';
import { connectionOf, pageArgs } from './connection.ts';

const AuditEventRef = builder.objectRef<AuditEventRow>('AuditEvent');

nodeType(AuditEventRef, 'A change made by a user or token. Audit events are immutable.', (t) => ({
  at: t.expose('at', { type: 'DateTime', description: 'Time of the change.' }),
  actor: t.exposeString('actor', {
    description: 'Name of the user, `token:<name>`, or console for an operator on the server itself.',
  }),
  action: t.exposeString('action', {
    description: 'Action, such as session.cancel, token.create or silence.create.',
  }),
  targetId: t.id({
    nullable: true,
    description: 'Global id of the changed object, which may no longer exist; null if there is none.',
    resolve: ({ targetType, targetId }) => targetType && targetId && encodeGlobalId(targetType, targetId),
  }),
  detail: t.expose('detail', {
    type: 'JSON',
    nullable: true,
    description: 'Further details, depending on the action; null if there are none.',
  }),
  via: t.exposeString('via', { description: 'Authentication method, as in `Viewer.via`, or CONSOLE.' }),
  address: t.exposeString('address', {
    nullable: true,
    description: 'IP address of the client, as reported by trusted proxies; null if unknown.',
  }),
}));

const AuditEventConnection = connectionOf('AuditEvent', AuditEventRef as never, 'changes');

builder.queryField('auditEvents', (t) =>
  t.field({
    type: AuditEventConnection,
    extensions: queryCost({ own: 10 }),
    description: 'Changes by users and tokens, newest first.',
    args: {
      ...pageArgs(t.arg),
      actor: t.arg.stringList({ description: 'Only changes by these users or tokens. Default: all.' }),
      action: t.arg.stringList({ description: 'Only these actions. Default: all.' }),
      targetId: t.arg.id({ description: 'Only changes of this object: global id or UUID. Default: all.' }),
      from: t.arg({ type: 'DateTime', description: 'Only changes at or after this time. Default: all.' }),
      to: t.arg({ type: 'DateTime', description: 'Only changes before this time. Default: all.' }),
    },
    resolve: (_root, args, { reads }) => reads.auditEvents(args),
  }),
);

builder.queryField('auditActions', (t) =>
  t.stringList({
    description: 'All possible values of `AuditEvent.action`.',
    resolve: () => [...AUDIT_ACTIONS],
  }),
);
