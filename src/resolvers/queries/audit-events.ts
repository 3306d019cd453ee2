import { builder } from '../../schema/builder.ts';
import { costs } from '../../schema/cost.ts';
import { AuditEventConnection } from '../../schema/types/audit-event.ts';

builder.queryField('auditEvents', (t) =>
  t.field({
    type: AuditEventConnection,
    extensions: costs(10),
    description: 'What people and tokens changed, newest first.',
    args: {
      first: t.arg.int({ description: 'So many from the start, or after `after`: 1 to 100.' }),
      after: t.arg.string({ description: 'Cursor after which the page begins.' }),
      actor: t.arg.stringList({ description: 'Only of these. Default: of all.' }),
      action: t.arg.stringList({ description: 'Only these actions. Default: all.' }),
      targetId: t.arg.id({ description: 'Only what was done to this: a global id or UUID. Default: all.' }),
    },
    resolve: (_root, args, { reads }) => reads.auditEvents(args),
  }),
);
