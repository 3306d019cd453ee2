import type { ToolCallValue } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import { MessageRole } from '../enums.ts';
import { MessageRef } from './refs.ts';

const ToolCall = builder.objectRef<ToolCallValue>('ToolCall').implement({
  fields: (t) => ({
    id: t.exposeString('id'),
    name: t.exposeString('name'),
    arguments: t.exposeString('arguments', { description: 'JSON text, as the model gave it.' }),
  }),
});

builder.node(MessageRef, {
  id: { resolve: (message) => message.id },
  fields: (t) => ({
    sequenceNumber: t.exposeInt('sequenceNumber'),
    role: t.expose('role', { type: MessageRole }),
    content: t.exposeString('content'),
    toolCalls: t.field({ type: [ToolCall], resolve: ({ toolCalls }) => toolCalls ?? [] }),
    toolCallId: t.exposeString('toolCallId', { nullable: true }),
    toolName: t.exposeString('toolName', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
