import type { ToolCallValue } from '../../db/entities/index.ts';
import { nodeType, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { MessageRef } from './refs.ts';

const ToolCall = objectType<ToolCallValue>('ToolCall', 'A tool call requested by a model.', (t) => ({
  id: t.exposeString('id', {
    description: 'Links the call to its result: `Message.toolCallId` of the result.',
  }),
  name: t.exposeString('name', { description: 'Server and tool, as `server.tool`.' }),
  arguments: t.exposeString('arguments', { description: 'Arguments as JSON text, as given by the model.' }),
}));

nodeType(MessageRef, 'One message of a conversation with a model.', (t) => ({
  sequenceNumber: t.exposeInt('sequenceNumber', { description: 'Position in the conversation, from 1.' }),
  role: t.expose('role', { type: enums.MessageRole, description: 'Author of the message.' }),
  content: t.exposeString('content', { description: 'Text; empty if the message only calls tools.' }),
  toolCalls: t.field({
    type: [ToolCall],
    extensions: queryCost({ rows: 1 }),
    description: 'Requested tool calls; empty for roles other than ASSISTANT.',
    resolve: ({ toolCalls }) => toolCalls ?? [],
  }),
  toolCallId: t.exposeString('toolCallId', {
    nullable: true,
    description: 'Id of the call that a TOOL message answers; null for other roles.',
  }),
  toolName: t.exposeString('toolName', {
    nullable: true,
    description: 'Name of the tool that a TOOL message answers for; null for other roles.',
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored.' }),
}));
