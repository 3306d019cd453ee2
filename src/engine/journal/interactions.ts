import { v7 as uuidv7 } from 'uuid';
import type { LlmInteractionType, McpInteractionType } from '../../db/enums.ts';
import { addedTo, type Change, type Part } from './step.ts';
import type { Place } from './timeline.ts';
import { addTokens, SUM_TYPES, SUMS, type Usage } from './work.ts';

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

const LLM_COLUMNS = {
  id: 'uuid',
  stage_id: 'uuid',
  execution_id: 'uuid',
  type: 'text',
  iteration: 'int',
  provider: 'text',
  model_name: 'text',
  request: 'jsonb',
  response: 'jsonb',
  thinking: 'text',
  last_message_sequence: 'int',
  ...SUM_TYPES,
  duration_ms: 'int',
  error_message: 'text',
};

const LLM_CALL: Part = {
  name: 'llm_call',
  columns: LLM_COLUMNS,
  sql: addedTo('llm_interactions', LLM_COLUMNS),
  set: SUMS.map((name) => `${name} = s.${name} + (select sum(${name}) from llm_call)`).join(', '),
};

/** Records a call of the model and adds its tokens to the execution, where it belongs to one, and to the session. */
export function recordLlmCall({ stageId, executionId }: Place, record: LlmInteractionRecord): Change[] {
  const { durationMs, usage } = record;
  const tokens = usage ?? NO_USAGE;
  const row = {
    id: uuidv7(),
    stageId,
    executionId,
    ...record,
    ...tokens,
    durationMs: Math.round(durationMs),
  };
  const call = { part: LLM_CALL, row };
  return executionId === null ? [call] : [call, addTokens(executionId, tokens)];
}

const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  thinkingTokens: 0,
  totalTokens: 0,
  cachedReadTokens: 0,
  cacheWriteTokens: 0,
};

const MCP_COLUMNS = {
  id: 'uuid',
  stage_id: 'uuid',
  execution_id: 'uuid',
  type: 'text',
  server_name: 'text',
  tool_name: 'text',
  tool_call_id: 'text',
  arguments: 'jsonb',
  result: 'jsonb',
  available_tools: 'jsonb',
  duration_ms: 'int',
  error_message: 'text',
};

const MCP_CALL: Part = {
  name: 'mcp_call',
  columns: MCP_COLUMNS,
  sql: addedTo('mcp_interactions', MCP_COLUMNS),
};

/** Records an exchange with an MCP server. */
export function recordMcpCall({ stageId, executionId }: Place, record: McpInteractionRecord): Change {
  const durationMs = Math.round(record.durationMs);
  return { part: MCP_CALL, row: { id: uuidv7(), stageId, executionId, ...record, durationMs } };
}
