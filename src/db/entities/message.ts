import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { MessageRole } from '../enums.ts';
import { createdAt, id, oneOf } from './columns.ts';

/** A tool call that the model requested; `arguments` is its JSON text. */
export interface ToolCallValue {
  id: string;
  name: string;
  arguments: string;
}

/** One message of an execution's conversation with the model, exactly as sent. */
export const Message = defineEntity({
  name: 'Message',
  tableName: 'messages',
  properties: {
    id: id(),
    sessionId: p.uuid().primary(), // no foreign keys in the rows that a run writes, because fenced writes already check the session
    stageId: p.uuid(),
    executionId: p.uuid(),
    sequenceNumber: p.integer(), // 1-based within the execution
    role: oneOf<MessageRole>(),
    content: p.text(),
    toolCalls: p.json<ToolCallValue[]>().nullable(),
    toolCallId: p.text().nullable(),
    toolName: p.text().nullable(),
    failed: p.boolean().default(false), // true = the tool's result is an error
    providerTurn: p.text().nullable(), // encrypted state that the provider sent with its answer and expects back
    newsThrough: p.integer().nullable(), // sequence number of the last timeline event that this message reported to the agent
    subAgentId: p.uuid().nullable(), // execution of the sub-agent whose result this message reports
    createdAt: createdAt(),
  },
  uniques: [
    { name: 'messages_execution_sequence', properties: ['executionId', 'sequenceNumber', 'sessionId'] },
  ],
  indexes: [{ name: 'messages_session', properties: ['sessionId'] }],
});
export type MessageRow = InferEntity<typeof Message>;
