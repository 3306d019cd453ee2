import { NotFoundError, ValidationError } from '../../common/errors.ts';
import type { MemoryRow } from '../../db/entities/index.ts';
import { builder, nodeType, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { changeVisible } from '../root-fields.ts';
import { connectionOf, firstPageArgs } from './connection.ts';
import { mutationResult } from './errors.ts';
import { SessionRef } from './refs.ts';

const MemoryRef = builder.objectRef<MemoryRow>('Memory');
nodeType(
  MemoryRef,
  'Knowledge from past investigations. Agents receive it as a hint, never as evidence.',
  (t) => ({
    content: t.exposeString('content', { description: 'Text of the memory, masked.' }),
    category: t.expose('category', { type: enums.MemoryCategory, description: 'Kind of knowledge.' }),
    alertType: t.exposeString('alertType', {
      nullable: true,
      description: 'Alert type of the first session that taught it.',
    }),
    team: t.exposeString('team', {
      nullable: true,
      description: 'Team to which it is visible, agents included; null if visible to everyone.',
    }),
    confidence: t.exposeFloat('confidence', {
      description: '0–1: how accurate the sessions that taught and used it were, according to reviews.',
    }),
    seenCount: t.exposeInt('seenCount', { description: 'Number of sessions that taught it.' }),
    deprecated: t.exposeBoolean('deprecated', { description: 'True if agents no longer receive it.' }),
    sourceSession: t.field({
      type: SessionRef,
      nullable: true,
      description: 'First session that taught it; null if deleted.',
      resolve: ({ sourceSessionId }, _args, { loaders }) =>
        sourceSessionId ? loaders.session.load(sourceSessionId) : null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first learned.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When a session last taught it or a user changed it.',
    }),
    usedIn: t.field({
      type: [SessionRef],
      extensions: queryCost({ own: 5 }),
      description: 'Sessions whose agents received it, newest first; at most 100.',
      resolve: ({ id }, _args, { loaders }) => loaders.sessionsWithMemory.load(id),
    }),
  }),
);

const MemoryConnection = connectionOf('Memory', MemoryRef as never, 'memories');

const UpdateMemory = mutationResult('UpdateMemory', [ValidationError, NotFoundError], {
  description: 'The memory was changed. Agents receive the new version.',
  field: { memory: { type: MemoryRef, description: 'The changed memory.' } },
});

const DeleteMemorySuccess = objectType<{ deletedId: string }>(
  'DeleteMemorySuccess',
  'The memory was deleted permanently.',
  (t) => ({
    deletedId: t.exposeID('deletedId', { description: 'Id as given in the request.' }),
  }),
);
const DeleteMemory = mutationResult('DeleteMemory', [NotFoundError], DeleteMemorySuccess);

const UpdateMemoryInput = builder.inputType('UpdateMemoryInput', {
  description: 'Changes of a memory; omitted fields keep their value.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id or UUID of the memory.' }),
    content: t.string({ description: 'Text of the memory; up to 1,000 characters, masked.' }),
    category: t.field({ type: enums.MemoryCategory, description: 'Kind of knowledge.' }),
    deprecated: t.boolean({
      description: 'True to withhold the memory from agents. Reviews no longer change it afterwards.',
    }),
  }),
});

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
    type: UpdateMemory.type,
    description: 'Changes a memory, or withholds it from agents.',
    args: { input: t.arg({ type: UpdateMemoryInput, required: true, description: 'The changes.' }) },
    resolve: (_root, { input }, context) => {
      const { id, content = null, category = null, deprecated = null } = input;
      return changeVisible({ result: UpdateMemory, type: 'Memory', id, context }, (key) =>
        context.engine.updateMemory(key, { content, category, deprecated }, context.viewer),
      );
    },
  }),
);

builder.mutationField('deleteMemory', (t) =>
  t.field({
    type: DeleteMemory.type,
    description: 'Deletes a memory permanently. Deprecate it instead to keep it without giving it to agents.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the memory.' }) },
    resolve: (_root, { id }, context) =>
      changeVisible({ result: DeleteMemory, type: 'Memory', id, context }, async (key) => {
        await context.engine.deleteMemory(key, context.viewer);
        return { deletedId: String(id) };
      }),
  }),
);
