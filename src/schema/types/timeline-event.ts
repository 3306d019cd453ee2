import { builder } from '../builder.ts';
import { TimelineEventStatusEnum, TimelineEventTypeEnum } from '../enums.ts';
import { encodeGlobalId } from '../ids.ts';
import { LARGE_VALUE } from '../query-cost.ts';
import { ExecutionRef, StageRef, TimelineEventRef } from './refs.ts';

const ToolOutput = builder.objectRef<{ text: string }>('ToolOutput').implement({
  description: 'What a tool answered, masked. Its places are in UTF-16 code units.',
  fields: (t) => ({
    length: t.int({ description: 'Of all of it.', resolve: ({ text }) => text.length }),
    text: t.string({
      args: {
        start: t.arg.int({ description: 'Where to begin. Default: at its beginning.' }),
        end: t.arg.int({ description: 'The place after the last one. Default: all that follows.' }),
      },
      description: 'All of it, or a part.',
      resolve: ({ text }, { start, end }) =>
        text.slice(Math.max(0, start ?? 0), end == null ? undefined : Math.max(0, end)).toWellFormed(),
    }),
  }),
});

builder.node(TimelineEventRef, {
  description: 'One thing that happened in an investigation, as people read it.',
  id: { resolve: (event) => event.id },
  fields: (t) => ({
    sequenceNumber: t.exposeInt('sequenceNumber', {
      description: 'Place in its session, 1-based: unique and gapless.',
    }),
    type: t.expose('type', { type: TimelineEventTypeEnum, description: 'What it shows.' }),
    status: t.expose('status', {
      type: TimelineEventStatusEnum,
      description: 'Whether it still grows, and how it ended.',
    }),
    content: t.exposeString('content', {
      description: 'Its text, masked; of what is STREAMING, the text so far as it was last stored.',
    }),
    output: t.field({
      type: ToolOutput,
      nullable: true,
      extensions: LARGE_VALUE,
      description:
        'Of a tool call: its whole result as the trace keeps it, of which content may be the beginning; citations count in it. Null of all else, and while there is none.',
      resolve: async ({ id, type }, _args, { loaders }) => {
        const text = type === 'LLM_TOOL_CALL' ? await loaders.wholeOutput.load(id) : null;
        return text === null ? null : { text };
      },
    }),
    metadata: t.expose('metadata', {
      type: 'JSON',
      nullable: true,
      description:
        'Facts beside the text, by type: of a tool call server_name, tool_name, arguments and duration_ms; of LLM_THINKING source, native where the provider tells thoughts apart, react where the model writes them as text; of a search queries, sources and supports; of an ERROR that is a wait for the model outage: true and, when it is over, waited_ms; null when there are none.',
    }),
    stageId: t.id({
      nullable: true,
      description:
        'The id of `stage`, without reading it: for streams of many events; null for events of the session.',
      resolve: ({ stageId }) => stageId && encodeGlobalId('Stage', stageId),
    }),
    executionId: t.id({
      nullable: true,
      description: 'The id of `execution`, without reading it; null for events of the session or a stage.',
      resolve: ({ executionId }) => executionId && encodeGlobalId('AgentExecution', executionId),
    }),
    stage: t.field({
      type: StageRef,
      nullable: true,
      description: 'The stage that it happened in; null for events of the session.',
      resolve: ({ stageId }, _args, { loaders }) => (stageId ? loaders.stage.load(stageId) : null),
    }),
    execution: t.field({
      type: ExecutionRef,
      nullable: true,
      description: 'The work of the agent that it is part of; null for events of the session or a stage.',
      resolve: ({ executionId }, _args, { loaders }) =>
        executionId ? loaders.execution.load(executionId) : null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it began.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When its text or status was last stored.',
    }),
  }),
});
