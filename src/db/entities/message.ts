import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { MESSAGE_ROLES } from '../enums.ts';
import { createdAt, id, oneOf } from './columns.ts';

/** A tool call that the model asked for; arguments is the JSON text it gave. */
export interface ToolCallValue {
  id: string;
  name: string;
  arguments: string;
}

/** The exact conversation with the model, in order, as it is sent. */
export const Message = defineEntity({
  name: 'Message',
  tableName: 'messages',
  properties: {
    id: id(),
    sessionId: p.uuid(), // no foreign keys, here and in what else a run writes: its fence says what it belongs to
    stageId: p.uuid(),
    executionId: p.uuid(),
    sequenceNumber: p.integer(), // 1-based within the execution
    role: oneOf(MESSAGE_ROLES),
    content: p.text(),
    toolCalls: p.json<ToolCallValue[]>().nullable(),
    toolCallId: p.text().nullable(),
    toolName: p.text().nullable(),
    failed: p.boolean().default(false), // of a tool's result
    providerTurn: p.text().nullable(), // of an answer, encrypted; what its provider wants back with it
    newsThrough: p.integer().nullable(), // sequence number of the last timeline event that this message told the agent of
    subAgentId: p.uuid().nullable(), // execution of the sub-agent whose end this message tells
    createdAt: createdAt(),
  },
  uniques: [{ name: 'messages_execution_sequence', properties: ['executionId', 'sequenceNumber'] }],
  indexes: [{ name: 'messages_session', properties: ['sessionId'] }],
});
export type MessageRow = InferEntity<typeof Message>;
