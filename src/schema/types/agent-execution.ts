import { builder } from '../builder.ts';
import { ExecutionStatusEnum, IterationStrategyEnum } from '../enums.ts';
import { encodeGlobalId } from '../ids.ts';
import { queryCost } from '../query-cost.ts';
import { Cost, costOf, durationMs, TokenUsage } from './measures.ts';
import { ExecutionRef, MessageRef, StageRef, TimelineEventRef } from './refs.ts';

builder.node(ExecutionRef, {
  description: 'The work of one agent in one stage.',
  id: { resolve: (execution) => execution.id },
  fields: (t) => ({
    stageId: t.id({
      description: 'The id of `stage`, without reading it.',
      resolve: ({ stageId }) => encodeGlobalId('Stage', stageId),
    }),
    stage: t.field({
      type: StageRef,
      description: 'The stage that it is part of.',
      resolve: ({ stageId }, _args, { loaders }) => loaders.stage.load(stageId) as never,
    }),
    parent: t.field({
      type: ExecutionRef,
      nullable: true,
      description: 'The execution whose agent gave it its task; null of those that stages start.',
      resolve: ({ parentExecutionId }, _args, { loaders }) =>
        parentExecutionId ? (loaders.execution.load(parentExecutionId) as never) : null,
    }),
    parentId: t.id({
      nullable: true,
      description: 'The id of `parent`, without reading it.',
      resolve: ({ parentExecutionId }) =>
        parentExecutionId ? encodeGlobalId('AgentExecution', parentExecutionId) : null,
    }),
    task: t.exposeString('task', {
      nullable: true,
      description: 'What its parent wants of it, masked; null of those that stages start.',
    }),
    agentName: t.exposeString('agentName', {
      description: 'Name of the agent in the configuration; replicas: Name-1, Name-2, ….',
    }),
    agentIndex: t.exposeInt('agentIndex', {
      description:
        'Place among the agents of its stage, 1-based; sub-agents follow them in the order of their tasks.',
    }),
    iterationStrategy: t.expose('iterationStrategy', {
      type: IterationStrategyEnum,
      description: 'How it works with its model.',
    }),
    llmProvider: t.exposeString('llmProvider', {
      nullable: true,
      description: 'Name in the configuration of the LLM provider that it works with; null until it begins.',
    }),
    originalLlmProvider: t.exposeString('originalLlmProvider', {
      nullable: true,
      description: 'Set when another provider took over: the one that was configured.',
    }),
    modelName: t.exposeString('modelName', {
      nullable: true,
      description: 'The name that the provider has for its model; null until it begins.',
    }),
    status: t.expose('status', { type: ExecutionStatusEnum, description: 'How far it is.' }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'Why it failed, for people; null unless it did.',
    }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Null until it begins.',
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended, however it did; null until then.',
    }),
    durationMs: durationMs(t),
    cost: t.field({
      type: Cost,
      description: 'What its calls of models cost.',
      resolve: (execution, _args, { loaders }) => costOf(execution, loaders.costOfExecution),
    }),
    tokenUsage: t.field({
      type: TokenUsage,
      resolve: (execution) => execution,
      description: 'Sum over its calls of models.',
    }),
    timeline: t.field({
      type: [TimelineEventRef],
      extensions: queryCost({ rows: 30 }),
      description: 'What it did, by sequenceNumber.',
      resolve: ({ id }, _args, { loaders }) => loaders.timelineOfExecution.load(id),
    }),
    messages: t.field({
      type: [MessageRef],
      extensions: queryCost({ rows: 30 }),
      description: 'The exact conversation, in order.',
      resolve: ({ id }, _args, { loaders }) => loaders.messagesOfExecution.load(id),
    }),
  }),
});
