import type { IterationStrategy, ParallelType, SuccessPolicy } from '../../config/enums.ts';
import type { StageType, TerminalStatus } from '../../db/enums.ts';
import { propertyName } from '../live/event-log.ts';
import { columnTypes, insertInto, type RowChange, type RowWriter } from './event-statement.ts';

export interface NewStage {
  name: string;
  index: number;
  type: StageType;
  parallelType: ParallelType | null;
  successPolicy: SuccessPolicy | null;
  expectedAgentCount: number;
  /** For SYNTHESIS: id of the stage whose results the synthesis joins. */
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
  /** Set only for a sub-agent, like `task`. */
  parentExecutionId?: string;
  task?: string;
}

export interface WorkEnd {
  status: TerminalStatus;
  errorMessage: string | null;
}

const ACTIVE = () => ({ status: `'ACTIVE'`, started_at: 'now()' });

const STAGE: RowWriter = {
  name: 'stage',
  ...insertInto(
    'stages',
    `id uuid, name text, index int, type text, parallel_type text, success_policy text, expected_agent_count int,
     referenced_stage_id uuid`,
    ACTIVE,
  ),
  event: { type: 'StageStatusChanged', rank: 1, orderBy: 't.index' },
  returning: 't.id',
  from: 'stage',
  set: () => 'current_stage_id = stage.id',
};

/** Begins a stage, which becomes the session's current one. At most one per write. */
export const beginStage = (id: string, stage: NewStage): RowChange => ({
  writer: STAGE,
  row: { id, ...stage },
});

const EXECUTION: RowWriter = {
  name: 'execution',
  ...insertInto(
    'agent_executions',
    `id uuid, stage_id uuid, agent_name text, agent_index int, iteration_strategy text, llm_provider text,
     llm_backend text, model_name text, parent_execution_id uuid, task text`,
    ACTIVE,
  ),
  event: { type: 'ExecutionStatusChanged', rank: 2, orderBy: 't.agent_index' },
};

export const beginExecution = (id: string, agent: NewExecution): RowChange => ({
  writer: EXECUTION,
  row: { id, ...agent },
});

const STAGE_END: RowWriter = {
  name: 'stage_end',
  columns: columnTypes('id uuid, status text, error_message text'),
  sql: (rows) => `update stages t set status = r.status, error_message = r.error_message, completed_at = now()
    from locked l, ${rows}
    where t.id = r.id and t.session_id = l.id and t.status in ('PENDING', 'ACTIVE')`,
  event: { type: 'StageStatusChanged', rank: 6, orderBy: 't.index' },
};

/** Ends a stage if it is open. */
export const endStage = (id: string, end: WorkEnd): RowChange => ({
  writer: STAGE_END,
  row: { id, ...end },
});

/** The tokens and the cost of a model call. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  totalTokens: number;
  /** Included in `inputTokens`, like `cacheWriteTokens`. */
  cachedReadTokens: number;
  cacheWriteTokens: number;
  /** `null` if the price is unknown. */
  costUsd: number | null;
  /** Budgets and their current periods to which the call is charged; missing if there are none. */
  budgets?: readonly CountedBudget[] | undefined;
}

/** A budget with a period. `key`: the alert type, team or source for which the budget counts. */
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
/** SQL definitions of TOKEN_COLUMNS. */
export const TOKEN_TYPES = TOKEN_COLUMNS.map((name) => `${name} bigint`).join(', ');

/** The columns that are summed up. `unpriced_calls`: number of calls whose cost is unknown. */
const USAGE = [...TOKEN_COLUMNS, 'cost_usd', 'unpriced_calls'];
const USAGE_PROPERTIES = USAGE.map(propertyName);

const PROVIDER = ['llm_provider', 'llm_backend', 'model_name'];

/** Writes usage, provider and end of an execution together, because a statement changes a row only once. */
const EXECUTION_CHANGE: RowWriter = {
  name: 'execution_change',
  columns: columnTypes(
    `id uuid, status text, error_message text, ${PROVIDER.map((name) => `${name} text`).join(', ')},
     ${TOKEN_TYPES}, cost_usd double precision, unpriced_calls int`,
  ),
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
    const sums = USAGE_PROPERTIES.map((name) => [name, Number(change[name] ?? 0) + Number(row[name] ?? 0)]);
    changes.set(row.id, Object.assign(change, row, Object.fromEntries(sums)));
  }
  return [...changes.values()];
}

/** Ends an execution if it is open. */
export const endExecution = (id: string, end: WorkEnd): RowChange => ({
  writer: EXECUTION_CHANGE,
  row: { id, ...end },
});

export type ProviderChange = Pick<NewExecution, 'llmProvider' | 'llmBackend' | 'modelName'>;

/** Changes the provider of an execution, at most once per write. `original_llm_provider` keeps the first one. */
export const changeProvider = (id: string, to: ProviderChange): RowChange => ({
  writer: EXECUTION_CHANGE,
  row: { id, ...to },
});

export function addUsage(id: string, usage: Usage): RowChange {
  const unpricedCalls = usage.costUsd === null ? 1 : 0;
  return { writer: EXECUTION_CHANGE, row: { id, ...usage, unpricedCalls } };
}
