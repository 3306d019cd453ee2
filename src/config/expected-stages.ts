import { resolveReport } from './resolve-calls.ts';
import type { ChainConfig, Config } from './types.ts';

/** A stage that a session of a chain has if every stage before it succeeds. */
export interface ExpectedStage {
  readonly name: string;
  readonly type: 'INVESTIGATION' | 'SYNTHESIS' | 'REPORT';
  /** Names of its agents, numbered if one agent runs as several replicas. */
  readonly agents: readonly string[];
}

type StageConfig = ChainConfig['stages'][number];

/**
 * Returns the stages of a session of the chain in order if all run, including syntheses, final analysis and reports.
 */
export function expectedStages(config: Config, chain: ChainConfig): ExpectedStage[] {
  const reporter = resolveReport(config, chain);
  const report: ExpectedStage[] =
    reporter === null ? [] : [{ name: 'Report', type: 'REPORT', agents: [reporter.agentName] }];
  const isKept = ({ escalate }: StageConfig): boolean => escalate === 'ALWAYS';
  const isComposed = chain.stages.filter(isKept).length > 1;
  const composer = chain.stages.at(-1)!.synthesis.agent;
  return [
    ...chain.stages.flatMap((stage) => [...ownStages(stage), ...(isKept(stage) ? [] : report)]),
    ...(isComposed ? [{ name: 'Final analysis', type: 'SYNTHESIS' as const, agents: [composer] }] : []),
    ...report,
  ];
}

function ownStages({ name, agents, replicas, synthesis }: StageConfig): ExpectedStage[] {
  const names = agents.flatMap((agent) =>
    replicas > 1 ? Array.from({ length: replicas }, (_, n) => `${agent.name}-${n + 1}`) : [agent.name],
  );
  const own: ExpectedStage = { name, type: 'INVESTIGATION', agents: names };
  if (names.length === 1) return [own];
  return [own, { name: `${name} - Synthesis`, type: 'SYNTHESIS', agents: [synthesis.agent] }];
}
