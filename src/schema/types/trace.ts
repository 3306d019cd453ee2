import type { AgentExecutionRow, StageRow } from '../../db/entities/index.ts';
import { objectType } from '../builder.ts';
import { queryCost } from '../query-cost.ts';
import { ExecutionRef, LlmInteractionRef, McpInteractionRef, StageRef, TraceRef } from './refs.ts';

const TraceExecution = objectType<AgentExecutionRow>(
  'TraceExecution',
  'All exchanges of one agent, oldest first.',
  (t) => ({
    execution: t.field({
      type: ExecutionRef,
      description: 'Execution of the agent.',
      resolve: (execution) => execution,
    }),
    llmInteractions: t.field({
      type: [LlmInteractionRef],
      extensions: queryCost({ rows: 8 }),
      description: 'Model calls of the agent.',
      resolve: ({ id }, _args, { loaders }) => loaders.llmOfExecution.load(id),
    }),
    mcpInteractions: t.field({
      type: [McpInteractionRef],
      extensions: queryCost({ rows: 8 }),
      description: 'Tool listings and tool calls of the agent.',
      resolve: ({ id }, _args, { loaders }) => loaders.mcpOfExecution.load(id),
    }),
  }),
);

const TraceStage = objectType<StageRow>('TraceStage', 'All exchanges of one stage.', (t) => ({
  stage: t.field({ type: StageRef, description: 'The stage itself.', resolve: (stage) => stage }),
  executions: t.field({
    type: [TraceExecution],
    extensions: queryCost({ rows: 2 }),
    description: 'Agents of the stage, by agentIndex.',
    resolve: ({ id }, _args, { loaders }) => loaders.executionsOfStage.load(id),
  }),
}));

TraceRef.implement({
  description: 'All exchanges of one investigation with models and MCP servers.',
  fields: (t) => ({
    stages: t.field({
      type: [TraceStage],
      extensions: queryCost({ rows: 4 }),
      description: 'Stages by index.',
      resolve: ({ id }, _args, { loaders }) => loaders.stagesOfSession.load(id),
    }),
    sessionInteractions: t.field({
      type: [LlmInteractionRef],
      description: 'Model calls outside of executions, such as the executive summary.',
      resolve: ({ id }, _args, { loaders }) => loaders.sessionLlmInteractions.load(id),
    }),
  }),
});
