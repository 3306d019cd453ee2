import { uuidv7 } from '../../common/uuidv7.ts';
import type { LlmInteractionType, McpInteractionType } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import { columnTypes, insertInto, type RowChange, type RowWriter, writeRowsIf } from './event-statement.ts';
import { addUsage, TOKEN_COLUMNS, TOKEN_TYPES, type Usage } from './stages-and-executions.ts';
import type { ExecutionIds } from './timeline.ts';

export interface LlmInteractionRecord {
  type: LlmInteractionType;
  iteration: number | null;
  provider: string;
  modelName: string;
  request: Record<string, unknown>;
  response: Record<string, unknown>;
  thinking: string | null;
  /** Sequence number of the execution's last message in prompt or answer; `null` if the prompt had none of them. */
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

const LLM_CALL: RowWriter = {
  name: 'llm_call',
  ...insertInto(
    'llm_interactions',
    `id uuid, stage_id uuid, execution_id uuid, type text, iteration int, provider text, model_name text, request jsonb,
     response jsonb, thinking text, last_message_sequence int, ${TOKEN_TYPES}, cost_usd double precision, duration_ms int,
     error_message text`,
  ),
  returning: [...TOKEN_COLUMNS, 'cost_usd'].map((name) => `t.${name}`).join(', '),
  from: `(select ${TOKEN_COLUMNS.map((name) => `sum(${name}) as ${name}`).join(', ')}, coalesce(sum(cost_usd), 0) as cost_usd,
    count(*) - count(cost_usd) as unpriced_calls from llm_call) used`,
  set: () =>
    [...TOKEN_COLUMNS, 'cost_usd', 'unpriced_calls']
      .map((name) => `${name} = s.${name} + used.${name}`)
      .join(', '),
};

/** Records a model call and adds its usage to the session, its budgets and, if it has one, its execution. */
export function recordLlmCall(
  { stageId, executionId }: ExecutionIds,
  record: LlmInteractionRecord,
): RowChange[] {
  const { durationMs, usage } = record;
  const used = usage ?? { ...NO_USAGE, costUsd: isUnbilled(record) ? 0 : null };
  const ids = { id: uuidv7(), stageId, executionId };
  const call = { writer: LLM_CALL, row: { ...ids, ...record, ...used, durationMs: Math.round(durationMs) } };
  const budgetUses = (used.budgets ?? []).map((budget) => ({
    writer: BUDGET_USE,
    row: { ...budget, usd: used.costUsd ?? 0, tokens: used.totalTokens },
  }));
  return executionId === null ? [call, ...budgetUses] : [call, addUsage(executionId, used), ...budgetUses];
}

/** Records a model call for an ended session. Does nothing if the session is deleted. */
export async function recordEndedSessionCall(
  db: Queryable,
  sessionId: string,
  record: LlmInteractionRecord,
): Promise<void> {
  const ids = { stageId: null, executionId: null };
  await writeRowsIf(db, sessionId, { guard: 's.deleted_at is null' }, recordLlmCall(ids, record));
}

/** Returns true if the call failed before the model answered. Providers do not bill such calls. */
function isUnbilled({ errorMessage, response, thinking }: LlmInteractionRecord): boolean {
  return errorMessage !== null && !response.text && !thinking;
}

const NO_USAGE: Omit<Usage, 'costUsd'> = {
  inputTokens: 0,
  outputTokens: 0,
  thinkingTokens: 0,
  totalTokens: 0,
  cachedReadTokens: 0,
  cacheWriteTokens: 0,
};

const MCP_CALL: RowWriter = {
  name: 'mcp_call',
  ...insertInto(
    'mcp_interactions',
    `id uuid, stage_id uuid, execution_id uuid, type text, server_name text, tool_name text, tool_call_id text,
     arguments jsonb, result jsonb, available_tools jsonb, duration_ms int, error_message text`,
  ),
};

export function recordMcpCall(
  { stageId, executionId }: ExecutionIds,
  record: McpInteractionRecord,
): RowChange {
  const durationMs = Math.round(record.durationMs);
  return { writer: MCP_CALL, row: { id: uuidv7(), stageId, executionId, ...record, durationMs } };
}

/** Returns the SQL expression of the current period (UTC). `per` is an SQL expression of `day` or `month`. */
export const currentPeriod = (per: string): string => `date_trunc(${per}, now() at time zone 'UTC')`;

/**
 * Adds a call's cost and tokens to the usage of its budgets, in a fixed order, because parallel sessions lock
 * the same rows.
 */
const BUDGET_USE: RowWriter = {
  name: 'budget_use',
  columns: columnTypes('name text, key text, per text, usd double precision, tokens bigint'),
  sql: (rows) => `insert into budget_uses as u (name, key, period, per, used_usd, used_tokens)
    select r.name, r.key, ${currentPeriod('r.per')}::date, r.per, sum(r.usd), sum(r.tokens) from locked l, ${rows}
    group by r.name, r.key, r.per order by r.name, r.key, r.per
    on conflict (name, key, period, per)
      do update set used_usd = u.used_usd + excluded.used_usd, used_tokens = u.used_tokens + excluded.used_tokens`,
};
