import type { ToolCallValue } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import { MessageRoleEnum } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { MessageRef } from './refs.ts';

const ToolCall = builder.objectRef<ToolCallValue>('ToolCall').implement({
  description: 'A tool call that a model asks for.',
  fields: (t) => ({
    id: t.exposeString('id', {
      description: 'Ties the result to the call: `Message.toolCallId` of the result.',
    }),
    name: t.exposeString('name', { description: 'Server and tool, as `server.tool`.' }),
    arguments: t.exposeString('arguments', { description: 'JSON text, as the model gave it.' }),
  }),
});

builder.node(MessageRef, {
  description: 'One message of a conversation with a model.',
  id: { resolve: (message) => message.id },
  fields: (t) => ({
    sequenceNumber: t.exposeInt('sequenceNumber', { description: 'Place in its conversation, 1-based.' }),
    role: t.expose('role', { type: MessageRoleEnum, description: 'Who speaks.' }),
    content: t.exposeString('content', { description: 'Its text; empty when it only calls tools.' }),
    toolCalls: t.field({
      type: [ToolCall],
      extensions: queryCost({ rows: 1 }),
      description: 'Calls that the model asks for; empty but for ASSISTANT.',
      resolve: ({ toolCalls }) => toolCalls ?? [],
    }),
    toolCallId: t.exposeString('toolCallId', {
      nullable: true,
      description: 'Of a TOOL message: the call that it is the result of; else null.',
    }),
    toolName: t.exposeString('toolName', {
      nullable: true,
      description: 'Of a TOOL message: the tool that was called; else null.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored.' }),
  }),
});
