import { builder } from '../builder.ts';
import { ParallelType, StageStatus, StageType, SuccessPolicy } from '../enums.ts';
import { durationMs } from './duration.ts';
import { ExecutionRef, SessionRef, StageRef } from './refs.ts';

builder.node(StageRef, {
  id: { resolve: (stage) => stage.id },
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      resolve: ({ sessionId }, _args, { loaders }) => loaders.session.load(sessionId) as never,
    }),
    name: t.exposeString('name'),
    index: t.exposeInt('index', { description: '1-based, counts synthesis stages.' }),
    type: t.expose('type', { type: StageType }),
    status: t.expose('status', { type: StageStatus }),
    parallelType: t.expose('parallelType', { type: ParallelType, nullable: true }),
    successPolicy: t.expose('successPolicy', { type: SuccessPolicy, nullable: true }),
    expectedAgentCount: t.exposeInt('expectedAgentCount'),
    referencedStage: t.field({
      type: StageRef,
      nullable: true,
      description: 'Of a synthesis stage: the stage whose results it brings together.',
      resolve: ({ referencedStageId }, _args, { loaders }) =>
        referencedStageId ? loaders.stage.load(referencedStageId) : null,
    }),
    errorMessage: t.exposeString('errorMessage', { nullable: true }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true }),
    durationMs: durationMs(t),
    executions: t.field({
      type: [ExecutionRef],
      resolve: ({ id }, _args, { loaders }) => loaders.executionsOfStage.load(id),
    }),
  }),
});
