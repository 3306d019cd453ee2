import { describe, expect, it } from 'vitest';
import type { TimelineExecutionFragment, TimelineStageFragment } from '../../graphql/gen/documents.ts';
import { planSteps } from './plan-steps.ts';

const stage = (index: number, name: string, type = 'INVESTIGATION') =>
  ({ id: `s${index}`, index, name, type, status: 'ACTIVE' }) as TimelineStageFragment;
const agent = (stageId: string, agentIndex: number, agentName: string, parentId: string | null = null) =>
  ({ id: agentName, stageId, agentIndex, agentName, parentId }) as TimelineExecutionFragment;
const state = (stages: TimelineStageFragment[], executions: TimelineExecutionFragment[] = []) => ({
  stages: new Map(stages.map((each) => [each.id, each])),
  executions: new Map(executions.map((each) => [each.id, each])),
});
const PLANNED = [
  { name: 'look', type: 'INVESTIGATION' as const, agents: ['A', 'B'] },
  { name: 'look - Synthesis', type: 'SYNTHESIS' as const, agents: ['S'] },
  { name: 'Report', type: 'REPORT' as const, agents: ['Report'] },
];
const short = (steps: ReturnType<typeof planSteps>) =>
  steps.map(({ index, name, agents, stage: own }) => [index, name, agents.join(), own === null]);

describe('the plan', () => {
  it('lists stages that have begun, then those to come', () => {
    const begun = state(
      [stage(1, 'look')],
      [agent('s1', 2, 'B'), agent('s1', 1, 'A'), agent('s1', 3, 'C', 'A')],
    );
    expect(short(planSteps(begun, PLANNED))).toEqual([
      [1, 'look', 'A,B', false],
      [2, 'look - Synthesis', 'S', true],
      [3, 'Report', 'Report', true],
    ]);
  });

  it('lists all stages before the first begins', () => {
    expect(planSteps(state([]), PLANNED).map(({ stage: own }) => own)).toEqual([null, null, null]);
  });

  it('leaves out the configured stages if the session runs others, and questions', () => {
    const begun = state([stage(1, 'older'), stage(2, 'question', 'CHAT')]);
    expect(short(planSteps(begun, PLANNED))).toEqual([[1, 'older', '', false]]);
  });
});
