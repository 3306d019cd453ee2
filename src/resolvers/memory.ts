import { NotFoundError, ValidationError } from '../common/errors.ts';
import { builder } from '../schema/builder.ts';
import { queryCost } from '../schema/query-cost.ts';
import { firstPageArgs } from '../schema/types/connection.ts';
import {
  DeleteMemoryResult,
  MemoryConnection,
  UpdateMemoryInput,
  UpdateMemoryResult,
} from '../schema/types/memory.ts';
import { changeVisible } from './mutation-support.ts';

builder.queryField('memories', (t) =>
  t.field({
    type: MemoryConnection,
    extensions: queryCost({ own: 10 }),
    description: 'Memories of past investigations, newest first.',
    args: {
      ...firstPageArgs(t.arg),
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
    resolve: (_root, { input }, { engine, loaders, viewer }) => {
      const { id, content = null, category = null, deprecated = null } = input;
      const errors = [ValidationError, NotFoundError];
      return changeVisible({ type: 'Memory', id, loader: loaders.memory }, errors, (key) =>
        engine.updateMemory(key, { content, category, deprecated }, viewer),
      );
    },
  }),
);

builder.mutationField('deleteMemory', (t) =>
  t.field({
    type: DeleteMemoryResult,
    description: 'Deletes a memory permanently. Deprecate it instead to keep it without giving it to agents.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the memory.' }) },
    resolve: (_root, { id }, { engine, loaders, viewer }) =>
      changeVisible({ type: 'Memory', id, loader: loaders.memory }, [NotFoundError], async (key) => {
        await engine.deleteMemory(key, viewer);
        return { deletedId: String(id) };
      }),
  }),
);
