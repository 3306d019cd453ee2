import { uuidv7 } from '../../common/uuidv7.ts';
import type { ToolCallValue } from '../../db/entities/index.ts';
import type { MessageRole } from '../../db/enums.ts';
import { insertInto, type RowChange, type RowWriter } from './event-statement.ts';

export interface NewMessage {
  role: MessageRole;
  content: string;
  toolCalls?: readonly ToolCallValue[];
  toolCallId?: string;
  toolName?: string;
  /** Of a tool's result: the call failed. */
  failed?: boolean;
  /** Of an answer: what its provider wants back with it. */
  providerTurn?: Uint8Array;
  /** Of a message that tells news: the place in the timeline of the last that it tells. */
  newsThrough?: number;
  /** Of a message that tells the end of a sub-agent: its execution. */
  subAgentId?: string;
}

/** A message as it is stored: with what its provider wants back encrypted. */
export type StoredMessage = Omit<NewMessage, 'providerTurn'> & { providerTurn: string | null };

const COLUMNS = {
  id: 'uuid',
  stage_id: 'uuid',
  execution_id: 'uuid',
  sequence_number: 'int',
  role: 'text',
  content: 'text',
  tool_calls: 'jsonb',
  tool_call_id: 'text',
  tool_name: 'text',
  failed: 'boolean',
  provider_turn: 'text',
  news_through: 'int',
  sub_agent_id: 'uuid',
};

const MESSAGE: RowWriter = { name: 'message', columns: COLUMNS, sql: insertInto('messages', COLUMNS) };

/** Adds a message to an execution's conversation, at this place in it, from 1 on. */
export function addMessage(
  place: { stageId: string; executionId: string },
  sequenceNumber: number,
  message: StoredMessage,
): RowChange {
  const { toolCalls, failed = false } = message;
  const row = { ...message, toolCalls: toolCalls?.length ? toolCalls : null, failed };
  return { writer: MESSAGE, row: { id: uuidv7(), ...place, sequenceNumber, ...row } };
}
