import { nodeType, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { encodeGlobalId } from '../ids.ts';
import { LARGE_VALUE } from '../query-cost.ts';
import { ExecutionRef, StageRef, TimelineEventRef } from './refs.ts';

const ToolOutput = objectType<{ text: string }>(
  'ToolOutput',
  'Output of a tool call, masked. Positions are in UTF-16 code units.',
  (t) => ({
    length: t.int({ description: 'Length of the complete output.', resolve: ({ text }) => text.length }),
    text: t.string({
      args: {
        start: t.arg.int({ description: 'Start position. Default: 0.' }),
        end: t.arg.int({ description: 'End position, exclusive. Default: the end.' }),
      },
      description: 'The output, or a part of it.',
      resolve: ({ text }, { start, end }) =>
        text.slice(Math.max(0, start ?? 0), end == null ? undefined : Math.max(0, end)).toWellFormed(),
    }),
  }),
);

nodeType(TimelineEventRef, 'One human-readable event of an investigation.', (t) => ({
  sequenceNumber: t.exposeInt('sequenceNumber', {
    description: 'Position in the session, from 1, unique and without gaps.',
  }),
  type: t.expose('type', { type: enums.TimelineEventType, description: 'Kind of event.' }),
  status: t.expose('status', { type: enums.TimelineEventStatus, description: 'Current status.' }),
  content: t.exposeString('content', {
    description: 'Text, masked. While STREAMING: the text as last stored.',
  }),
  output: t.field({
    type: ToolOutput,
    nullable: true,
    extensions: LARGE_VALUE,
    description:
      'For a tool call, the complete result; content may be only its beginning. Positions of citations refer to this text. Null for other events, and until it exists.',
    resolve: async ({ id, type }, _args, { loaders }) => {
      const text = type === 'LLM_TOOL_CALL' ? await loaders.wholeOutput.load(id) : null;
      return text === null ? null : { text };
    },
  }),
  metadata: t.expose('metadata', {
    type: 'JSON',
    nullable: true,
    description:
      'Facts by type. Tool call: server_name, tool_name, arguments, duration_ms. LLM_THINKING: source (native if the provider separates thoughts, react if the model writes them as text). Web search: queries, sources, supports. ERROR while waiting for the model: outage: true and finally waited_ms. Null if there are none.',
  }),
  stageId: t.id({
    nullable: true,
    description:
      'The id of `stage`, without reading it, for streams of many events. Null for events of the session.',
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
    description: 'Stage of the event; null for events of the session.',
    resolve: ({ stageId }, _args, { loaders }) => (stageId ? loaders.stage.load(stageId) : null),
  }),
  execution: t.field({
    type: ExecutionRef,
    nullable: true,
    description: 'Execution of the event; null for events of the session or a stage.',
    resolve: ({ executionId }, _args, { loaders }) =>
      executionId ? loaders.agentExecution.load(executionId) : null,
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Start time.' }),
  updatedAt: t.expose('updatedAt', {
    type: 'DateTime',
    description: 'When its text or status was last stored.',
  }),
}));
