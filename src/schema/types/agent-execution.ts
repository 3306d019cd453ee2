import { subAgentId } from '../../engine/features/sub-agents/plan.ts';
import { nodeType } from '../builder.ts';
import { enums } from '../enums.ts';
import { encodeGlobalId } from '../ids.ts';
import { queryCost } from '../query-cost.ts';
import { Cost, completedAt, costOf, durationMs, errorMessage, TokenUsage } from './measures.ts';
import { ExecutionRef, McpInteractionRef, MessageRef, StageRef, TimelineEventRef } from './refs.ts';

nodeType(ExecutionRef, 'The work of one agent in one stage.', (t) => ({
  stageId: t.id({
    description: 'The id of `stage`, without reading it.',
    resolve: ({ stageId }) => encodeGlobalId('Stage', stageId),
  }),
  stage: t.field({
    type: StageRef,
    description: 'Stage of this execution.',
    resolve: ({ stageId }, _args, { loaders }) => loaders.stage.load(stageId) as never,
  }),
  parent: t.field({
    type: ExecutionRef,
    nullable: true,
    description: 'Execution that started this sub-agent; null for agents that a stage starts.',
    resolve: ({ parentExecutionId }, _args, { loaders }) =>
      parentExecutionId ? (loaders.agentExecution.load(parentExecutionId) as never) : null,
  }),
  parentId: t.id({
    nullable: true,
    description: 'The id of `parent`, without reading it.',
    resolve: ({ parentExecutionId }) =>
      parentExecutionId ? encodeGlobalId('AgentExecution', parentExecutionId) : null,
  }),
  startedBy: t.field({
    type: McpInteractionRef,
    nullable: true,
    description:
      'Call of the parent that started this sub-agent; null for other agents, and until the call is recorded.',
    resolve: async ({ id, parentExecutionId: parent, task }, _args, { loaders }) => {
      if (!parent) return null;
      const isStart = (callId: string | null | undefined) =>
        callId && subAgentId(parent, callId, task ?? '') === id;
      return (
        (await loaders.mcpOfExecution.load(parent)).find(({ toolCallId }) => isStart(toolCallId)) ?? null
      );
    },
  }),
  task: t.exposeString('task', {
    nullable: true,
    description: 'Task from the parent, masked; null for agents that a stage starts.',
  }),
  agentName: t.exposeString('agentName', {
    description: 'Name of the agent in the configuration. Replicas are numbered: Name-1, Name-2, ….',
  }),
  agentIndex: t.exposeInt('agentIndex', {
    description:
      'Position among the agents of the stage, from 1. Sub-agents follow in the order of their tasks.',
  }),
  iterationStrategy: t.expose('iterationStrategy', {
    type: enums.IterationStrategy,
    description: 'How the agent works with its model.',
  }),
  llmProvider: t.exposeString('llmProvider', {
    nullable: true,
    description: 'Name of the LLM provider in the configuration; null until the execution starts.',
  }),
  originalLlmProvider: t.exposeString('originalLlmProvider', {
    nullable: true,
    description: 'Name of the configured provider if another provider took over; null otherwise.',
  }),
  modelName: t.exposeString('modelName', {
    nullable: true,
    description: 'Provider’s name for the model; null until the execution starts.',
  }),
  status: t.expose('status', { type: enums.ExecutionStatus, description: 'Current status.' }),
  errorMessage: errorMessage(t),
  startedAt: t.expose('startedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'Start time; null until the execution starts.',
  }),
  completedAt: completedAt(t),
  durationMs: durationMs(t),
  cost: t.field({
    type: Cost,
    description: 'Cost of its model calls.',
    resolve: (execution, _args, { loaders }) => costOf(execution, loaders.costOfExecution),
  }),
  tokenUsage: t.field({
    type: TokenUsage,
    resolve: (execution) => execution,
    description: 'Sum over its model calls.',
  }),
  timeline: t.field({
    type: [TimelineEventRef],
    extensions: queryCost({ rows: 30 }),
    description: 'Timeline events of the agent, by sequenceNumber.',
    resolve: ({ id }, _args, { loaders }) => loaders.timelineOfExecution.load(id),
  }),
  messages: t.field({
    type: [MessageRef],
    extensions: queryCost({ rows: 30 }),
    description: 'The exact conversation, in order.',
    resolve: ({ id }, _args, { loaders }) => loaders.messagesOfExecution.load(id),
  }),
}));
