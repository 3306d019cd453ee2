import { AUDIT_ACTIONS } from '../db/enums.ts';
import { builder } from '../schema/builder.ts';
import { queryCost } from '../schema/query-cost.ts';
import { AuditEventConnection } from '../schema/types/audit-event.ts';

builder.queryField('auditEvents', (t) =>
  t.field({
    type: AuditEventConnection,
    extensions: queryCost({ own: 10 }),
    description: 'Changes by users and tokens, newest first.',
    args: {
      first: t.arg.int({ description: 'Number of items from the start, or after `after`: 1–100.' }),
      after: t.arg.string({ description: 'Cursor after which the page begins.' }),
      last: t.arg.int({ description: 'Number of items from the end, or before `before`: 1–100.' }),
      before: t.arg.string({ description: 'Cursor before which the page ends.' }),
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
