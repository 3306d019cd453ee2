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
    description: 'Memories of past investigations, newest first.',
    args: {
      first: t.arg.int({ description: 'Number of items from the start, or after `after`: 1–100.' }),
      after: t.arg.string({ description: 'Cursor after which the page begins.' }),
      search: t.arg.string({ description: 'Words that the memory must contain; up to 200 characters.' }),
      alertType: t.arg.stringList({ description: 'Only memories of these alert types. Default: all.' }),
      includeDeprecated: t.arg.boolean({
        description: 'True to include memories that agents do not receive. Default: false.',
      }),
    },
    resolve: (_root, args, { reads }) => reads.memories(args),
  }),
);

builder.mutationField('updateMemory', (t) =>
  t.field({
    type: UpdateMemoryResult,
    description: 'Changes a memory, or withholds it from agents.',
    args: { input: t.arg({ type: UpdateMemoryInput, required: true, description: 'The changes.' }) },
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
    description: 'Deletes a memory permanently. Deprecate it instead to keep it without giving it to agents.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the memory.' }) },
    resolve: async (_root, { id }, { engine, loaders, viewer }) => {
      const key = await seen(keyOf('Memory', id), loaders.memory);
      if (key === null) return declared(new NotFoundError(NO_MEMORY));
      const deleted = engine.deleteMemory(key, viewer).then(() => ({ deletedId: String(id) }));
      return orDeclared(deleted, [NotFoundError]);
    },
  }),
);
