import type { ExecutionProgress, StageProgress } from '../../store/progress.ts';
import type { Level } from './plan.merge1.ts';

/** The agents of a stage, with those that got tasks of them. */
export interface Family {
  /** Those above an agent, the topmost first. */
  levels: readonly Level[];
  /** The place of the next one in its stage. */
  nextIndex(): number;
  /** What an earlier run left of an agent's own sub-agents, in the order in which they got their tasks. */
  left(executionId: string): readonly ExecutionProgress[];
  /** How many of them there are, with those below them. */
  countBelow(executionId: string): number;
}

/** @param agents how many the stage itself has */
export function familyOf(agents: number, progress: SubAgentProgress): Family {
  const indexes = [...(progress?.subAgents.values() ?? [])].flat().map(({ row }) => row.agentIndex);
  let last = Math.max(agents, ...indexes);
  const nextIndex = () => {
    last += 1;
    return last;
  };
  return { levels: [], nextIndex, ...leftBy(progress) };
}

/** The same, for an agent that begins again: what it left by then. */
export function asLeft(family: Family, progress: SubAgentProgress): Family {
  return { ...family, ...leftBy(progress) };
}

type SubAgentProgress = Pick<StageProgress, 'subAgents'> | undefined;

function leftBy(progress: SubAgentProgress): Pick<Family, 'left' | 'countBelow'> {
  const left: Family['left'] = (executionId) => progress?.subAgents.get(executionId) ?? [];
  const countBelow = (executionId: string): number =>
    left(executionId).reduce((sum, { row }) => sum + 1 + countBelow(row.id), 0);
  return { left, countBelow };
}
