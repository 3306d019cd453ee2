import type { MemoryRow } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import { MemoryCategoryEnum } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { connectionOf } from './connection.ts';
import { ForbiddenErrorRef, NotFoundErrorRef, resultTypeName, ValidationErrorRef } from './errors.ts';
import { SessionRef } from './refs.ts';

const MemoryRef = builder.objectRef<MemoryRow>('Memory');
builder.node(MemoryRef, {
  description: 'Something that past investigations taught. Agents are given it as a hint, never as evidence.',
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    content: t.exposeString('content', { description: 'What is remembered, masked.' }),
    category: t.expose('category', { type: MemoryCategoryEnum, description: 'What it says.' }),
    alertType: t.exposeString('alertType', {
      nullable: true,
      description: 'Of the session that taught it first.',
    }),
    team: t.exposeString('team', {
      nullable: true,
      description: 'Whose it is: others do not see it, nor do their agents; null: everybody does.',
    }),
    confidence: t.exposeFloat('confidence', {
      description: '0 to 1: how far the sessions that taught and used it were right, as people say.',
    }),
    seenCount: t.exposeInt('seenCount', { description: 'Sessions that taught it.' }),
    deprecated: t.exposeBoolean('deprecated', { description: 'No agent is given it.' }),
    sourceSession: t.field({
      type: SessionRef,
      nullable: true,
      description: 'The first that taught it; null when it is gone.',
      resolve: ({ sourceSessionId }, _args, { loaders }) =>
        sourceSessionId ? loaders.session.load(sourceSessionId) : null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was learned.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When it was last taught, or changed by a person.',
    }),
    usedIn: t.field({
      type: [SessionRef],
      extensions: queryCost({ own: 5 }),
      description: 'Sessions whose agents were given it, newest first, at most 100.',
      resolve: ({ id }, _args, { loaders }) => loaders.sessionsWithMemory.load(id),
    }),
  }),
});

export const MemoryConnection = connectionOf('Memory', MemoryRef as never, 'memories');

const UpdateMemorySuccess = builder.objectRef<MemoryRow>('UpdateMemorySuccess').implement({
  description: 'It was changed; agents are given it as it is now.',
  fields: (t) => ({
    memory: t.field({ type: MemoryRef, description: 'The memory as it is now.', resolve: (row) => row }),
  }),
});
export const UpdateMemoryResult = builder.unionType('UpdateMemoryResult', {
  description: 'What became of a change of a memory.',
  types: [UpdateMemorySuccess, ValidationErrorRef, NotFoundErrorRef, ForbiddenErrorRef],
  resolveType: (result) => resultTypeName(result, 'UpdateMemorySuccess'),
});

const DeleteMemorySuccess = builder.objectRef<{ deletedId: string }>('DeleteMemorySuccess').implement({
  description: 'It is gone for good.',
  fields: (t) => ({
    deletedId: t.exposeID('deletedId', { description: 'The id that was given.' }),
  }),
});
export const DeleteMemoryResult = builder.unionType('DeleteMemoryResult', {
  description: 'What became of the deletion of a memory.',
  types: [DeleteMemorySuccess, NotFoundErrorRef, ForbiddenErrorRef],
  resolveType: (result) => resultTypeName(result, 'DeleteMemorySuccess'),
});

export const UpdateMemoryInput = builder.inputType('UpdateMemoryInput', {
  description: 'What is changed of a memory; what is left out stays.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id or UUID of the memory.' }),
    content: t.string({ description: 'What is remembered; up to 1,000 characters, masked.' }),
    category: t.field({ type: MemoryCategoryEnum, description: 'What it says.' }),
    deprecated: t.boolean({
      description: 'Whether agents are given it no more. Reviews do not change it from then on.',
    }),
  }),
});
