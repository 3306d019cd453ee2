import type { IterationStrategy, ParallelType, SuccessPolicy } from '../../config/enums.ts';
import type { StageType, TerminalStatus } from '../../db/enums.ts';
import { propertyName } from '../live/event-log.ts';
import { insertInto, type RowChange, type RowWriter } from './event-statement.ts';

export interface NewStage {
  name: string;
  index: number;
  type: StageType;
  parallelType: ParallelType | null;
  successPolicy: SuccessPolicy | null;
  expectedAgentCount: number;
  /** For SYNTHESIS: the id of the stage whose results it joins. */
  referencedStageId: string | null;
}

export interface NewExecution {
  stageId: string;
  agentName: string;
  agentIndex: number;
  iterationStrategy: IterationStrategy;
  llmProvider: string;
  llmBackend: string;
  modelName: string;
  /** For a sub-agent: the execution of its parent. `task` is its task. */
  parentExecutionId?: string;
  task?: string;
}

/** How a stage or an execution ends. */
export interface WorkEnd {
  status: TerminalStatus;
  errorMessage: string | null;
}

const STAGE_COLUMNS = {
  id: 'uuid',
  name: 'text',
  index: 'int',
  type: 'text',
  parallel_type: 'text',
  success_policy: 'text',
  expected_agent_count: 'int',
  referenced_stage_id: 'uuid',
};

const ACTIVE = () => ({ status: `'ACTIVE'`, started_at: 'now()' });

const STAGE: RowWriter = {
  name: 'stage',
  columns: STAGE_COLUMNS,
  sql: insertInto('stages', STAGE_COLUMNS, ACTIVE),
  event: { type: 'StageStatusChanged', rank: 1, orderBy: 't.index' },
  returning: 't.id',
  from: 'stage',
  set: () => 'current_stage_id = stage.id',
};

/** Begins a stage, which becomes the session's current one. At most one per write. */
export function beginStage(id: string, stage: NewStage): RowChange {
  return { writer: STAGE, row: { id, ...stage } };
}

const EXECUTION_COLUMNS = {
  id: 'uuid',
  stage_id: 'uuid',
  agent_name: 'text',
  agent_index: 'int',
  iteration_strategy: 'text',
  llm_provider: 'text',
  llm_backend: 'text',
  model_name: 'text',
  parent_execution_id: 'uuid',
  task: 'text',
};

const EXECUTION: RowWriter = {
  name: 'execution',
  columns: EXECUTION_COLUMNS,
  sql: insertInto('agent_executions', EXECUTION_COLUMNS, ACTIVE),
  event: { type: 'ExecutionStatusChanged', rank: 2, orderBy: 't.agent_index' },
};

/** Begins the execution of an agent. */
export function beginExecution(id: string, agent: NewExecution): RowChange {
  return { writer: EXECUTION, row: { id, ...agent } };
}

const STAGE_END: RowWriter = {
  name: 'stage_end',
  columns: { id: 'uuid', status: 'text', error_message: 'text' },
  sql: (rows) => `update stages t set status = r.status, error_message = r.error_message, completed_at = now()
    from locked l, ${rows}
    where t.id = r.id and t.session_id = l.id and t.status in ('PENDING', 'ACTIVE')`,
  event: { type: 'StageStatusChanged', rank: 6, orderBy: 't.index' },
};

/** Ends a stage if it is open. */
export function endStage(id: string, end: WorkEnd): RowChange {
  return { writer: STAGE_END, row: { id, ...end } };
}

/** The tokens and the cost of a model call. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  totalTokens: number;
  /** The part of the input tokens that was read from a cache. */
  cachedReadTokens: number;
  /** The part of the input tokens that was written to a cache. */
  cacheWriteTokens: number;
  /** The price (US dollars); `null` if it is unknown. */
  costUsd: number | null;
  /** The budgets in which it counts. */
  budgets?: readonly CountedBudget[] | undefined;
}

/** A budget with a period. `key`: the alert type, team or source that it counts for. */
export interface CountedBudget {
  name: string;
  key: string;
  per: 'day' | 'month';
}

/** The token columns of every table that counts tokens. */
export const TOKEN_COLUMNS = [
  'input_tokens',
  'output_tokens',
  'thinking_tokens',
  'total_tokens',
  'cached_read_tokens',
  'cache_write_tokens',
] as const;
export const TOKEN_TYPES = Object.fromEntries(TOKEN_COLUMNS.map((name) => [name, 'bigint']));
/** The cost columns. `unpriced_calls`: the number of calls whose cost is unknown. */
export const COST_TYPES = { cost_usd: 'double precision', unpriced_calls: 'int' };

const USAGE_TYPES = { ...TOKEN_TYPES, ...COST_TYPES };
const USAGE = Object.keys(USAGE_TYPES);
const USAGE_PROPERTIES = USAGE.map(propertyName);

/** The columns of a provider change; at most one per write and execution. */
const PROVIDER_TYPES = { llm_provider: 'text', llm_backend: 'text', model_name: 'text' };
const PROVIDER = Object.keys(PROVIDER_TYPES);

/** Usage, provider and end in one writer, because a statement changes a row only once. */
const EXECUTION_CHANGE: RowWriter = {
  name: 'execution_change',
  columns: {
    id: 'uuid',
    status: 'text',
    error_message: 'text',
    ...PROVIDER_TYPES,
    ...USAGE_TYPES,
  },
  sql: (rows) => `update agent_executions t set
      ${USAGE.map((name) => `${name} = t.${name} + r.${name}`).join(', ')},
      original_llm_provider = case when r.llm_provider is null then t.original_llm_provider
        else coalesce(t.original_llm_provider, t.llm_provider) end,
      ${PROVIDER.map((name) => `${name} = coalesce(r.${name}, t.${name})`).join(', ')},
      status = coalesce(r.status, t.status), error_message = coalesce(r.error_message, t.error_message),
      completed_at = case when r.status is null then t.completed_at else now() end
    from locked l, ${rows}
    where t.id = r.id and t.session_id = l.id and (r.status is null or t.status in ('PENDING', 'ACTIVE', 'WAITING_FOR_APPROVAL'))`,
  merge: mergeExecutionChanges,
  event: {
    type: 'ExecutionStatusChanged',
    rank: 5,
    orderBy: 't.agent_index',
    when: `t.status not in ('PENDING', 'ACTIVE', 'WAITING_FOR_APPROVAL')`,
  },
};

/** Merges the changes of each execution: usage is summed, other columns are set. */
function mergeExecutionChanges(rows: readonly object[]): object[] {
  const changes = new Map<unknown, Record<string, unknown>>();
  for (const row of rows as readonly Record<string, unknown>[]) {
    const change = changes.get(row.id) ?? {};
    changes.set(row.id, change);
    Object.assign(
      change,
      row,
      Object.fromEntries(USAGE_PROPERTIES.map((name) => [name, sum(change[name], row[name])])),
    );
  }
  return [...changes.values()];
}

const sum = (...numbers: unknown[]): number =>
  numbers.reduce<number>((total, number) => total + ((number as number | null | undefined) ?? 0), 0);

/** Ends an execution if it is open. */
export function endExecution(id: string, end: WorkEnd): RowChange {
  return { writer: EXECUTION_CHANGE, row: { id, ...end } };
}

/** The provider and model that continue an execution. */
export type ProviderChange = Pick<NewExecution, 'llmProvider' | 'llmBackend' | 'modelName'>;

/** Changes the provider of an execution. The first one is kept in `original_llm_provider`. */
export function changeProvider(id: string, to: ProviderChange): RowChange {
  return { writer: EXECUTION_CHANGE, row: { id, ...to } };
}

/** Adds the usage of a model call to an execution. */
export function addUsage(id: string, usage: Usage): RowChange {
  const unpricedCalls = usage.costUsd === null ? 1 : 0;
  return { writer: EXECUTION_CHANGE, row: { id, ...usage, unpricedCalls } };
}
