import { NotFoundError, ValidationError } from '../common/errors.ts';
import { builder } from '../schema/builder.ts';
import { keyOf } from '../schema/ids.ts';
import { queryCost } from '../schema/query-cost.ts';
import { declared, orDeclared } from '../schema/types/errors.ts';
import {
  DeleteMemoryResult,
  MemoryConnection,
  UpdateMemoryInput,
  UpdateMemoryResult,
} from '../schema/types/memory.ts';
import { seen } from './mutation-support.ts';

const NO_MEMORY = 'There is no memory with this id.';

builder.queryField('memories', (t) =>
  t.field({
    type: MemoryConnection,
    extensions: queryCost({ own: 10 }),
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

builder.mutationField('updateMemory', (t) =>
  t.field({
    type: UpdateMemoryResult,
    description: 'Changes what is remembered, or whether agents are given it.',
    args: { input: t.arg({ type: UpdateMemoryInput, required: true, description: 'What is changed.' }) },
    resolve: async (_root, { input }, { engine, loaders, viewer }) => {
      const key = await seen(keyOf('Memory', input.id), loaders.memory);
      if (key === null) return declared(new NotFoundError(NO_MEMORY));
      const change = {
        content: input.content ?? null,
        category: input.category ?? null,
        deprecated: input.deprecated ?? null,
      };
      return orDeclared(engine.updateMemory(key, change, viewer), [ValidationError, NotFoundError]);
    },
  }),
);

builder.mutationField('deleteMemory', (t) =>
  t.field({
    type: DeleteMemoryResult,
    description: 'Forgets something for good. To keep what agents shall not be given, deprecate it.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the memory.' }) },
    resolve: async (_root, { id }, { engine, loaders, viewer }) => {
      const key = await seen(keyOf('Memory', id), loaders.memory);
      if (key === null) return declared(new NotFoundError(NO_MEMORY));
      const deleted = engine.deleteMemory(key, viewer).then(() => ({ deletedId: String(id) }));
      return orDeclared(deleted, [NotFoundError]);
    },
  }),
);
