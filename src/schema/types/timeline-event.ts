import { builder } from '../builder.ts';
import { TimelineEventStatus, TimelineEventType } from '../enums.ts';
import { encodeGlobalId } from '../ids.ts';
import { ExecutionRef, StageRef, TimelineEventRef } from './refs.ts';

builder.node(TimelineEventRef, {
  id: { resolve: (event) => event.id },
  fields: (t) => ({
    sequenceNumber: t.exposeInt('sequenceNumber', { description: 'Unique and gapless within the session.' }),
    type: t.expose('type', { type: TimelineEventType }),
    status: t.expose('status', { type: TimelineEventStatus }),
    content: t.exposeString('content'),
    metadata: t.expose('metadata', { type: 'JSON', nullable: true }),
    stageId: t.id({
      nullable: true,
      description: 'The id of `stage`, without reading it: for streams of many events.',
      resolve: ({ stageId }) => stageId && encodeGlobalId('Stage', stageId),
    }),
    executionId: t.id({
      nullable: true,
      description: 'The id of `execution`, without reading it.',
      resolve: ({ executionId }) => executionId && encodeGlobalId('AgentExecution', executionId),
    }),
    stage: t.field({
      type: StageRef,
      nullable: true,
      description: 'Null for session-level events.',
      resolve: ({ stageId }, _args, { loaders }) => (stageId ? loaders.stage.load(stageId) : null),
    }),
    execution: t.field({
      type: ExecutionRef,
      nullable: true,
      resolve: ({ executionId }, _args, { loaders }) =>
        executionId ? loaders.execution.load(executionId) : null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
