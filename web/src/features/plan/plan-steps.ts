import type { SessionPlanQuery, TimelineStageFragment } from '../../graphql/gen/documents.ts';
import type { TimelineState } from '../timeline/timeline-reducer.ts';

type PlannedStage = SessionPlanQuery['alertTypes'][number]['stages'][number];

/** A stage of a session that ran, runs, or is to come. */
export interface PlanStep {
  /** Position in the session, from 1. */
  readonly index: number;
  readonly name: string;
  /** Names of the stage's own agents, without their sub-agents. */
  readonly agents: readonly string[];
  /** `null` if the stage is to come. */
  readonly stage: TimelineStageFragment | null;
}

/** Returns the investigation's stages that have begun, in order. */
export function begunStages(stages: TimelineState['stages']): readonly TimelineStageFragment[] {
  return [...stages.values()].filter(({ type }) => type !== 'CHAT').sort((a, b) => a.index - b.index);
}

/**
 * Returns the stages that have begun, then those of the configured chain that are to come. The latter are left out if
 * the session runs other stages than the chain has now.
 */
export function planSteps(
  { stages, executions }: Pick<TimelineState, 'stages' | 'executions'>,
  planned: readonly PlannedStage[],
): readonly PlanStep[] {
  const begun = begunStages(stages);
  const agentsOf = (id: string): readonly string[] =>
    [...executions.values()]
      .filter(({ stageId, parentId }) => stageId === id && parentId === null)
      .sort((a, b) => a.agentIndex - b.agentIndex)
      .map(({ agentName }) => agentName);
  const isPlanned = begun.every(({ name }, at) => planned[at]?.name === name);
  return [
    ...begun.map((stage) => ({
      index: stage.index,
      name: stage.name,
      agents: agentsOf(stage.id),
      stage,
    })),
    ...(isPlanned ? planned.slice(begun.length) : []).map(({ name, agents }, at) => ({
      index: begun.length + at + 1,
      name,
      agents,
      stage: null,
    })),
  ];
}
