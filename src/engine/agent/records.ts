import { v7 as uuidv7 } from 'uuid';
import type { MessageRow, ToolCallValue } from '../../db/entities/index.ts';
import type { LlmInteractionType, McpInteractionType, MessageRole } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { storable, storableJson } from '../../text/storable.ts';
import { decodeRow, type Fence } from '../events/log.ts';
import { LeaseLostError } from '../run/break-off.ts';
import type { Place } from './timeline.ts';

/**
 * Messages and interactions: what was said to the model and to the MCP servers. They have no event of their
 * own; the session's row is locked all the same, so that a run that lost its lease writes nothing.
 */
const LOCKED = `locked as (
  select s.id from alert_sessions s
  where s.id = $1 and s.attempt = $2 and s.lease_expires_at is not null for no key update
)`;

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
}

/** Adds a message to an execution's conversation, at this place in it. @throws LeaseLostError */
export async function insertMessage(
  db: Queryable,
  fence: Fence,
  place: { stageId: string; executionId: string },
  sequenceNumber: number,
  { providerTurn, ...message }: Omit<NewMessage, 'providerTurn'> & { providerTurn?: string | null },
): Promise<MessageRow> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(
    prepared(`with ${LOCKED}, added as (
       insert into messages (id, session_id, stage_id, execution_id, sequence_number, role, content, tool_calls,
         tool_call_id, tool_name, failed, provider_turn, news_through)
       select $3::uuid, l.id, $4::uuid, $5::uuid, $6::int, $7, $8, $9::jsonb, $10, $11, $12, $13, $14::int
       from locked l returning *
     ) select to_jsonb(a) as row from added a`),
    [
      fence.sessionId,
      fence.attempt,
      uuidv7(),
      place.stageId,
      place.executionId,
      sequenceNumber,
      message.role,
      storable(message.content),
      message.toolCalls?.length ? storableJson(message.toolCalls) : null,
      message.toolCallId ?? null,
      message.toolName ?? null,
      message.failed ?? false,
      providerTurn ?? null,
      message.newsThrough ?? null,
    ],
  );
  if (!rows[0]) throw new LeaseLostError(fence.sessionId);
  return decodeRow(rows[0].row);
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  totalTokens: number;
  /** Of the input. */
  cachedReadTokens: number;
  /** Of the input. */
  cacheWriteTokens: number;
}

const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  thinkingTokens: 0,
  totalTokens: 0,
  cachedReadTokens: 0,
  cacheWriteTokens: 0,
};

export interface LlmInteractionRecord {
  type: LlmInteractionType;
  iteration: number | null;
  provider: string;
  modelName: string;
  request: Record<string, unknown>;
  response: Record<string, unknown>;
  thinking: string | null;
  /** Last message of the execution that was part of the request, or the answer when it was stored. */
  lastMessageSequence: number | null;
  usage: Usage | null;
  durationMs: number;
  errorMessage: string | null;
}

/** Records a call of the model and adds its tokens to the execution and the session. @throws LeaseLostError */
export async function recordLlmInteraction(
  db: Queryable,
  fence: Fence,
  place: Place,
  record: LlmInteractionRecord,
): Promise<void> {
  const usage = record.usage ?? NO_USAGE;
  const add = (table: string) =>
    `input_tokens = ${table}.input_tokens + $14, output_tokens = ${table}.output_tokens + $15,
     thinking_tokens = ${table}.thinking_tokens + $16, total_tokens = ${table}.total_tokens + $17,
     cached_read_tokens = ${table}.cached_read_tokens + $18, cache_write_tokens = ${table}.cache_write_tokens + $19`;
  const { rowCount } = await db.query(
    prepared(`with ${LOCKED}, added as (
       insert into llm_interactions (id, session_id, stage_id, execution_id, type, iteration, provider, model_name,
         request, response, thinking, last_message_sequence, input_tokens, output_tokens, thinking_tokens,
         total_tokens, cached_read_tokens, cache_write_tokens, duration_ms, error_message)
       select $3::uuid, l.id, $4::uuid, $5::uuid, $6, $7::int, $8, $9, $10::jsonb, $11::jsonb, $12, $13::int,
         $14::bigint, $15::bigint, $16::bigint, $17::bigint, $18::bigint, $19::bigint, $20::int, $21
       from locked l returning session_id
     ), execution as (
       update agent_executions e set ${add('e')} from added where e.id = $5::uuid
     )
     update alert_sessions s set ${add('s')}, last_interaction_at = now() from added a where s.id = a.session_id`),
    [
      fence.sessionId,
      fence.attempt,
      uuidv7(),
      place.stageId,
      place.executionId,
      record.type,
      record.iteration,
      record.provider,
      record.modelName,
      storableJson(record.request),
      storableJson(record.response),
      record.thinking === null ? null : storable(record.thinking),
      record.lastMessageSequence,
      usage.inputTokens,
      usage.outputTokens,
      usage.thinkingTokens,
      usage.totalTokens,
      usage.cachedReadTokens,
      usage.cacheWriteTokens,
      Math.round(record.durationMs),
      record.errorMessage === null ? null : storable(record.errorMessage),
    ],
  );
  if (rowCount === 0) throw new LeaseLostError(fence.sessionId);
}

export interface McpInteractionRecord {
  type: McpInteractionType;
  serverName: string;
  toolName: string | null;
  toolCallId: string | null;
  arguments: unknown;
  result: unknown;
  availableTools: unknown;
  durationMs: number;
  errorMessage: string | null;
}

/** Records an exchange with an MCP server. @throws LeaseLostError */
export async function recordMcpInteraction(
  db: Queryable,
  fence: Fence,
  place: { stageId: string; executionId: string },
  record: McpInteractionRecord,
): Promise<void> {
  const { rowCount } = await db.query(
    prepared(`with ${LOCKED}
     insert into mcp_interactions (id, session_id, stage_id, execution_id, type, server_name, tool_name, tool_call_id,
       arguments, result, available_tools, duration_ms, error_message)
     select $3::uuid, l.id, $4::uuid, $5::uuid, $6, $7, $8, $9, $10::jsonb, $11::jsonb, $12::jsonb, $13::int, $14
     from locked l`),
    [
      fence.sessionId,
      fence.attempt,
      uuidv7(),
      place.stageId,
      place.executionId,
      record.type,
      record.serverName,
      record.toolName,
      record.toolCallId,
      storableJson(record.arguments),
      storableJson(record.result),
      storableJson(record.availableTools),
      Math.round(record.durationMs),
      record.errorMessage === null ? null : storable(record.errorMessage),
    ],
  );
  if (rowCount === 0) throw new LeaseLostError(fence.sessionId);
}
