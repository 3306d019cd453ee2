import {
  type Interaction,
  interactionsOf,
  type TraceExecution,
  type TraceSession,
  type TraceStage,
} from './trace-model.ts';

export const KINDS = { all: 'Everything', llm: 'Model calls', mcp: 'Tool calls' } as const;
export type Kind = keyof typeof KINDS;

/** The filter of the interactions; the page's URL contains it. */
export interface TraceFilter {
  readonly kind: Kind;
  readonly failed: boolean;
  /** Stages and agents to show: `2` is the second stage, `2/LogAgent` an agent in it. Empty shows all. */
  readonly scopes: readonly string[];
}

/** Reads the filter from the URL; invalid values are ignored. */
export function parseTraceFilter(params: URLSearchParams): TraceFilter {
  const kind = params.get('kind') ?? '';
  return {
    kind: Object.hasOwn(KINDS, kind) ? (kind as Kind) : 'all',
    failed: params.get('failed') === '1',
    scopes: params.getAll('in'),
  };
}

export function formatTraceFilter({ kind, failed, scopes }: TraceFilter): URLSearchParams {
  const params = new URLSearchParams(scopes.map((scope) => ['in', scope]));
  if (kind !== 'all') params.set('kind', kind);
  if (failed) params.set('failed', '1');
  return params;
}

/** Returns the filter options: each stage, and the agents of stages with several agents. */
export function scopesOf({ trace }: TraceSession): { value: string; name: string }[] {
  return trace.stages.flatMap(({ stage, executions }) => {
    const agents = [...new Set(executions.map(({ execution }) => execution.agentName))];
    const own = agents.map((name) => ({ value: `${stage.index}/${name}`, name: `${stage.index} · ${name}` }));
    return [
      { value: `${stage.index}`, name: `${stage.index} ${stage.name}` },
      ...(agents.length > 1 ? own : []),
    ];
  });
}

export function matchesFilter({ kind, failed }: TraceFilter, interaction: Interaction): boolean {
  return (kind === 'all' || kind === interaction.kind) && (!failed || hasError(interaction.head));
}

/** Returns the number of failed calls, agents and stages. */
export function failuresOf({ trace }: TraceSession): number {
  const all = trace.stages.flatMap(({ stage, executions }) => [
    hasFailed(stage),
    ...executions.flatMap((own) => [
      hasFailed(own.execution),
      ...interactionsOf(own).map(({ head }) => hasError(head)),
    ]),
  ]);
  return [...all, ...trace.sessionInteractions.map(hasError)].filter(Boolean).length;
}

/**
 * Returns the stages with the matching interactions; stages without any are removed. With `failed`, failed agents and
 * stages stay too. A failure in a sub-agent keeps its parents and the calls that started them.
 */
export function filterStages(stages: readonly TraceStage[], filter: TraceFilter): readonly TraceStage[] {
  const { kind, failed, scopes } = filter;
  if (kind === 'all' && !failed && scopes.length === 0) return stages;
  const isWhole = kind === 'all' && scopes.length === 0;
  return stages.flatMap(({ stage, executions }) => {
    const inScope = executions.filter(
      ({ execution }) =>
        scopes.length === 0 ||
        scopes.includes(`${stage.index}`) ||
        scopes.includes(`${stage.index}/${execution.agentName}`),
    );
    const shown = shownAgents(inScope, filter);
    return shown.length > 0 || (failed && isWhole && hasFailed(stage)) ? [{ stage, executions: shown }] : [];
  });
}

function shownAgents(executions: readonly TraceExecution[], { kind, failed }: TraceFilter): TraceExecution[] {
  const matches = (head: Head): boolean => !failed || hasError(head);
  /** Ids of agents and calls that lead to a failure. */
  const parents = new Set<string | undefined>();
  const shown: TraceExecution[] = [];
  // Backwards, because sub-agents follow their parents.
  for (const own of executions.toReversed()) {
    const { id, parentId, startedBy } = own.execution;
    const llmInteractions = kind === 'mcp' ? [] : own.llmInteractions.filter(matches);
    const mcpInteractions = own.mcpInteractions.filter(
      (head) => parents.has(head.id) || (kind !== 'llm' && matches(head)),
    );
    const isFailure = failed && kind === 'all' && hasFailed(own.execution);
    if (llmInteractions.length + mcpInteractions.length === 0 && !parents.has(id) && !isFailure) continue;
    shown.unshift({ ...own, llmInteractions, mcpInteractions });
    if (failed) parents.add(parentId ?? undefined).add(startedBy?.id);
  }
  return shown;
}

type Head = { readonly errorMessage: string | null };
const hasError = ({ errorMessage }: Head): boolean => errorMessage !== null;
const hasFailed = ({ status }: { readonly status: string }): boolean =>
  status === 'FAILED' || status === 'TIMED_OUT';
