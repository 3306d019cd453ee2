import { builder } from '../../schema/builder.ts';
import { costs } from '../../schema/cost.ts';
import { MemoryConnection } from '../../schema/types/memory.ts';

builder.queryField('memories', (t) =>
  t.field({
    type: MemoryConnection,
    extensions: costs(10),
    description: 'What past investigations taught, newest first.',
    args: {
      first: t.arg.int({ description: 'So many from the start, or after `after`: 1 to 100.' }),
      after: t.arg.string({ description: 'Cursor after which the page begins.' }),
      search: t.arg.string({ description: 'Up to 200 characters: words that it must have.' }),
      alertType: t.arg.stringList({ description: 'Only of one of these alert types. Default: of all.' }),
      includeDeprecated: t.arg.boolean({
        description: 'Also those that agents are not given. Default: false.',
      }),
    },
    resolve: (_root, args, { reads }) => reads.memories(args),
  }),
);
