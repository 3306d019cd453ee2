import type { AgentExecutionRow, StageRow } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import { ExecutionRef, LlmInteractionRef, McpInteractionRef, StageRef, TraceRef } from './refs.ts';

const TraceExecution = builder.objectRef<AgentExecutionRow>('TraceExecution').implement({
  fields: (t) => ({
    execution: t.field({ type: ExecutionRef, resolve: (execution) => execution }),
    llmInteractions: t.field({
      type: [LlmInteractionRef],
      resolve: ({ id }, _args, { loaders }) => loaders.llmOfExecution.load(id),
    }),
    mcpInteractions: t.field({
      type: [McpInteractionRef],
      resolve: ({ id }, _args, { loaders }) => loaders.mcpOfExecution.load(id),
    }),
  }),
});

const TraceStage = builder.objectRef<StageRow>('TraceStage').implement({
  fields: (t) => ({
    stage: t.field({ type: StageRef, resolve: (stage) => stage }),
    executions: t.field({
      type: [TraceExecution],
      resolve: ({ id }, _args, { loaders }) => loaders.executionsOfStage.load(id),
    }),
  }),
});

TraceRef.implement({
  description: 'Every exchange with models and MCP servers of one investigation.',
  fields: (t) => ({
    stages: t.field({
      type: [TraceStage],
      resolve: ({ id }, _args, { loaders }) => loaders.stagesOfSession.load(id),
    }),
    sessionInteractions: t.field({
      type: [LlmInteractionRef],
      description: 'Those that belong to no execution, such as the executive summary.',
      resolve: ({ id }, _args, { loaders }) => loaders.sessionLlmInteractions.load(id),
    }),
  }),
});
