import { AUDIT_ACTIONS } from '../db/enums.ts';
import { builder } from '../schema/builder.ts';
import { queryCost } from '../schema/query-cost.ts';
import { AuditEventConnection } from '../schema/types/audit-event.ts';

builder.queryField('auditEvents', (t) =>
  t.field({
    type: AuditEventConnection,
    extensions: queryCost({ own: 10 }),
    description: 'What people and tokens changed, newest first.',
    args: {
      first: t.arg.int({ description: 'So many from the start, or after `after`: 1 to 100.' }),
      after: t.arg.string({ description: 'Cursor after which the page begins.' }),
      last: t.arg.int({ description: 'So many from the end, or before `before`: 1 to 100.' }),
      before: t.arg.string({ description: 'Cursor before which the page ends.' }),
      actor: t.arg.stringList({ description: 'Only of these. Default: of all.' }),
      action: t.arg.stringList({ description: 'Only these actions. Default: all.' }),
      targetId: t.arg.id({ description: 'Only what was done to this: a global id or UUID. Default: all.' }),
      from: t.arg({ type: 'DateTime', description: 'Only since then. Default: all.' }),
      to: t.arg({ type: 'DateTime', description: 'Only before then. Default: all.' }),
    },
    resolve: (_root, args, { reads }) => reads.auditEvents(args),
  }),
);

builder.queryField('auditActions', (t) =>
  t.stringList({
    description: 'All that `AuditEvent.action` can be.',
    resolve: () => [...AUDIT_ACTIONS],
  }),
);
