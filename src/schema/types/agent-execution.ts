import { builder } from '../builder.ts';
import { ExecutionStatus, IterationStrategy } from '../enums.ts';
import { encodeGlobalId } from '../ids.ts';
import { durationMs } from './duration.ts';
import { ExecutionRef, MessageRef, StageRef, TimelineEventRef } from './refs.ts';
import { TokenUsage } from './token-usage.ts';

builder.node(ExecutionRef, {
  id: { resolve: (execution) => execution.id },
  fields: (t) => ({
    stageId: t.id({
      description: 'The id of `stage`, without reading it.',
      resolve: ({ stageId }) => encodeGlobalId('Stage', stageId),
    }),
    stage: t.field({
      type: StageRef,
      resolve: ({ stageId }, _args, { loaders }) => loaders.stage.load(stageId) as never,
    }),
    agentName: t.exposeString('agentName', { description: 'Replicas: Name-1, Name-2, …' }),
    agentIndex: t.exposeInt('agentIndex', { description: '1-based.' }),
    iterationStrategy: t.expose('iterationStrategy', { type: IterationStrategy }),
    llmProvider: t.exposeString('llmProvider', { nullable: true }),
    modelName: t.exposeString('modelName', { nullable: true }),
    status: t.expose('status', { type: ExecutionStatus }),
    errorMessage: t.exposeString('errorMessage', { nullable: true }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true }),
    durationMs: durationMs(t),
    tokenUsage: t.field({ type: TokenUsage, resolve: (execution) => execution }),
    timeline: t.field({
      type: [TimelineEventRef],
      resolve: ({ id }, _args, { loaders }) => loaders.timelineOfExecution.load(id),
    }),
    messages: t.field({
      type: [MessageRef],
      description: 'The exact conversation, in order.',
      resolve: ({ id }, _args, { loaders }) => loaders.messagesOfExecution.load(id),
    }),
  }),
});
