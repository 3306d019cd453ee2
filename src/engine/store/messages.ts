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
  /** True for the result of a failed tool call. */
  failed?: boolean;
  /** Opaque data that the provider needs back with this answer. */
  providerTurn?: Uint8Array;
  /** In a message about source updates: sequence number of the last timeline event that it covers. */
  newsThrough?: number;
  /** In a message about the end of a sub-agent: id of its execution. */
  subAgentId?: string;
}

/** A message as it is stored, with encrypted provider data. */
export type StoredMessage = Omit<NewMessage, 'providerTurn'> & { providerTurn: string | null };

const MESSAGE: RowWriter = {
  name: 'message',
  ...insertInto(
    'messages',
    `id uuid, stage_id uuid, execution_id uuid, sequence_number int, role text, content text, tool_calls jsonb,
     tool_call_id text, tool_name text, failed boolean, provider_turn text, news_through int, sub_agent_id uuid`,
  ),
};

/** Adds a message to an execution's conversation. @param sequenceNumber position in the conversation, from 1 */
export function addMessage(
  ids: { stageId: string; executionId: string },
  sequenceNumber: number,
  message: StoredMessage,
): RowChange {
  const { toolCalls, failed = false } = message;
  const row = { ...message, toolCalls: toolCalls?.length ? toolCalls : null, failed };
  return { writer: MESSAGE, row: { id: uuidv7(), ...ids, sequenceNumber, ...row } };
}
