import { nodeType } from '../builder.ts';
import { enums } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { Cost, completedAt, durationMs, errorMessage } from './measures.ts';
import { ExecutionRef, SessionRef, StageRef } from './refs.ts';

nodeType(StageRef, 'One step of an investigation, with one agent or several in parallel.', (t) => ({
  session: t.field({
    type: SessionRef,
    description: 'Session of this stage.',
    resolve: ({ sessionId }, _args, { loaders }) => loaders.session.load(sessionId) as never,
  }),
  name: t.exposeString('name', {
    description: 'Name in the configuration, or the engine’s name for a stage that it adds.',
  }),
  index: t.exposeInt('index', { description: 'Position in the session, from 1; synthesis stages count.' }),
  type: t.expose('type', { type: enums.StageType, description: 'Purpose of the stage.' }),
  status: t.expose('status', { type: enums.StageStatus, description: 'Current status.' }),
  parallelType: t.expose('parallelType', {
    type: enums.ParallelType,
    nullable: true,
    description: 'Why the stage has several agents; null if it has one.',
  }),
  successPolicy: t.expose('successPolicy', {
    type: enums.SuccessPolicy,
    nullable: true,
    description: 'When the stage counts as successful; null if it has one agent.',
  }),
  expectedAgentCount: t.exposeInt('expectedAgentCount', { description: 'Number of agents, started or not.' }),
  referencedStage: t.field({
    type: StageRef,
    nullable: true,
    description: 'For a synthesis stage, the stage whose results it combines; null for others.',
    resolve: ({ referencedStageId }, _args, { loaders }) =>
      referencedStageId ? loaders.stage.load(referencedStageId) : null,
  }),
  errorMessage: errorMessage(t),
  startedAt: t.expose('startedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'Start time; null until the stage starts.',
  }),
  completedAt: completedAt(t),
  durationMs: durationMs(t),
  cost: t.field({
    type: Cost,
    description: 'Cost of the model calls of its agents.',
    resolve: ({ id }, _args, { loaders }) => loaders.costOfStage.load(id),
  }),
  executions: t.field({
    type: [ExecutionRef],
    extensions: queryCost({ rows: 2 }),
    description: 'Executions of its agents, by agentIndex.',
    resolve: ({ id }, _args, { loaders }) => loaders.executionsOfStage.load(id),
  }),
}));
