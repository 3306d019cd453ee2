import type { AgentExecutionRow, StageRow } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import { queryCost } from '../query-cost.ts';
import { ExecutionRef, LlmInteractionRef, McpInteractionRef, StageRef, TraceRef } from './refs.ts';

const TraceExecution = builder.objectRef<AgentExecutionRow>('TraceExecution').implement({
  description: 'Every exchange of one agent, oldest first.',
  fields: (t) => ({
    execution: t.field({
      type: ExecutionRef,
      description: 'The work of the agent.',
      resolve: (execution) => execution,
    }),
    llmInteractions: t.field({
      type: [LlmInteractionRef],
      extensions: queryCost({ rows: 8 }),
      description: 'Its calls of models.',
      resolve: ({ id }, _args, { loaders }) => loaders.llmOfExecution.load(id),
    }),
    mcpInteractions: t.field({
      type: [McpInteractionRef],
      extensions: queryCost({ rows: 8 }),
      description: 'Its listings and calls of tools.',
      resolve: ({ id }, _args, { loaders }) => loaders.mcpOfExecution.load(id),
    }),
  }),
});

const TraceStage = builder.objectRef<StageRow>('TraceStage').implement({
  description: 'Every exchange of one stage.',
  fields: (t) => ({
    stage: t.field({ type: StageRef, description: 'The stage itself.', resolve: (stage) => stage }),
    executions: t.field({
      type: [TraceExecution],
      extensions: queryCost({ rows: 2 }),
      description: 'Its agents, by agentIndex.',
      resolve: ({ id }, _args, { loaders }) => loaders.executionsOfStage.load(id),
    }),
  }),
});

TraceRef.implement({
  description: 'Every exchange with models and MCP servers of one investigation.',
  fields: (t) => ({
    stages: t.field({
      type: [TraceStage],
      extensions: queryCost({ rows: 4 }),
      description: 'Its stages, by index.',
      resolve: ({ id }, _args, { loaders }) => loaders.stagesOfSession.load(id),
    }),
    sessionInteractions: t.field({
      type: [LlmInteractionRef],
      description: 'Calls of models that belong to no execution, such as the executive summary.',
      resolve: ({ id }, _args, { loaders }) => loaders.sessionLlmInteractions.load(id),
    }),
  }),
});
