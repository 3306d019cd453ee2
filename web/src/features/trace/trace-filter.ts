import { type Interaction, interactionsOf, type TraceSession, type TraceStage } from './trace-model.ts';

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
  return (kind === 'all' || kind === interaction.kind) && (!failed || interaction.head.errorMessage !== null);
}

/** Returns the stages with the matching interactions; stages without any are removed. */
export function filterStages(stages: readonly TraceStage[], filter: TraceFilter): readonly TraceStage[] {
  const { kind, failed, scopes } = filter;
  if (kind === 'all' && !failed && scopes.length === 0) return stages;
  return stages.flatMap(({ stage, executions }) => {
    const shown = executions
      .filter(
        ({ execution }) =>
          scopes.length === 0 ||
          scopes.includes(`${stage.index}`) ||
          scopes.includes(`${stage.index}/${execution.agentName}`),
      )
      .map((own) => ({
        ...own,
        llmInteractions:
          kind === 'mcp' ? [] : own.llmInteractions.filter((head) => !failed || head.errorMessage !== null),
        mcpInteractions:
          kind === 'llm' ? [] : own.mcpInteractions.filter((head) => !failed || head.errorMessage !== null),
      }))
      .filter((own) => interactionsOf(own).length > 0);
    return shown.length === 0 ? [] : [{ stage, executions: shown }];
  });
}
