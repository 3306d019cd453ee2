import { builder } from '../builder.ts';
import { ParallelTypeEnum, StageStatusEnum, StageTypeEnum, SuccessPolicyEnum } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { Cost, durationMs } from './measures.ts';
import { ExecutionRef, SessionRef, StageRef } from './refs.ts';

builder.node(StageRef, {
  description: 'One step of an investigation: one agent, or several side by side.',
  id: { resolve: (stage) => stage.id },
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'The session that it is part of.',
      resolve: ({ sessionId }, _args, { loaders }) => loaders.session.load(sessionId) as never,
    }),
    name: t.exposeString('name', {
      description: 'Its name in the configuration; of stages that the engine adds, the name that it gives.',
    }),
    index: t.exposeInt('index', { description: 'Place in its session, 1-based; synthesis stages count.' }),
    type: t.expose('type', { type: StageTypeEnum, description: 'What it is for.' }),
    status: t.expose('status', { type: StageStatusEnum, description: 'How far it is.' }),
    parallelType: t.expose('parallelType', {
      type: ParallelTypeEnum,
      nullable: true,
      description: 'Why it has several agents; null when it has one.',
    }),
    successPolicy: t.expose('successPolicy', {
      type: SuccessPolicyEnum,
      nullable: true,
      description: 'When it counts as successful; null when it has one agent.',
    }),
    expectedAgentCount: t.exposeInt('expectedAgentCount', {
      description: 'How many agents it has, begun or not.',
    }),
    referencedStage: t.field({
      type: StageRef,
      nullable: true,
      description: 'Of a synthesis stage: the stage whose results it brings together; else null.',
      resolve: ({ referencedStageId }, _args, { loaders }) =>
        referencedStageId ? loaders.stage.load(referencedStageId) : null,
    }),
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
      description: 'What the calls of models of its agents cost.',
      resolve: ({ id }, _args, { loaders }) => loaders.costOfStage.load(id),
    }),
    executions: t.field({
      type: [ExecutionRef],
      extensions: queryCost({ rows: 2 }),
      description: 'The work of its agents, by agentIndex.',
      resolve: ({ id }, _args, { loaders }) => loaders.executionsOfStage.load(id),
    }),
  }),
});
