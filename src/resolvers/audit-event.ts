import { AUDIT_ACTIONS } from '../db/enums.ts';
import { builder } from '../schema/builder.ts';
import { queryCost } from '../schema/query-cost.ts';
import { AuditEventConnection } from '../schema/types/audit-event.ts';
import { pageArgs } from '../schema/types/connection.ts';

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
