import type { MemoryRow } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import { MemoryCategoryEnum } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { connectionOf } from './connection.ts';
import { mutationResult, wrapperOf } from './errors.ts';
import { SessionRef } from './refs.ts';

const MemoryRef = builder.objectRef<MemoryRow>('Memory');
builder.node(MemoryRef, {
  description: 'Knowledge from past investigations. Agents receive it as a hint, never as evidence.',
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    content: t.exposeString('content', { description: 'Text of the memory, masked.' }),
    category: t.expose('category', { type: MemoryCategoryEnum, description: 'Kind of knowledge.' }),
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
});

export const MemoryConnection = connectionOf('Memory', MemoryRef as never, 'memories');

const UpdateMemorySuccess = wrapperOf<MemoryRow>(
  'UpdateMemorySuccess',
  'The memory was changed. Agents receive the new version.',
  {
    memory: { type: MemoryRef, description: 'The changed memory.' },
  },
);
export const UpdateMemoryResult = mutationResult('UpdateMemory', UpdateMemorySuccess, [
  'ValidationError',
  'NotFoundError',
]);

const DeleteMemorySuccess = builder.objectRef<{ deletedId: string }>('DeleteMemorySuccess').implement({
  description: 'The memory was deleted permanently.',
  fields: (t) => ({
    deletedId: t.exposeID('deletedId', { description: 'Id as given in the request.' }),
  }),
});
export const DeleteMemoryResult = mutationResult('DeleteMemory', DeleteMemorySuccess, ['NotFoundError']);

export const UpdateMemoryInput = builder.inputType('UpdateMemoryInput', {
  description: 'Changes of a memory; omitted fields keep their value.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id or UUID of the memory.' }),
    content: t.string({ description: 'Text of the memory; up to 1,000 characters, masked.' }),
    category: t.field({ type: MemoryCategoryEnum, description: 'Kind of knowledge.' }),
    deprecated: t.boolean({
      description: 'True to withhold the memory from agents. Reviews no longer change it afterwards.',
    }),
  }),
});
