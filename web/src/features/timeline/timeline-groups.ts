import type {
  TimelineExecutionFragment,
  TimelineItemFragment,
  TimelineStageFragment,
} from '../../graphql/gen/documents.ts';
import { inTree, type Placed } from '../../lib/in-tree.ts';
import type { TimelineState } from './timeline-reducer.ts';
import { withSummaries } from './timeline-summaries.ts';

/** The items of one agent within a stage; `execution` is `null` for items that the stage itself wrote. */
export interface ExecutionGroup {
  readonly key: string;
  readonly execution: TimelineExecutionFragment | null;
  readonly items: readonly TimelineItemFragment[];
}

/** A stage with its agents; `stage` is `null` for session-level items. */
export interface StageGroup {
  readonly key: string;
  readonly stage: TimelineStageFragment | null;
  readonly executions: readonly ExecutionGroup[];
}

/**
 * Groups the timeline for display: stages by index, agents by index, items by sequence number, each tool summary
 * below its call.
 * Session-level items come last, except alert updates, which stay where they occurred. A stage or agent that only an
 * item mentions still gets a group.
 */
export function groupTimeline(
  state: Pick<TimelineState, 'stages' | 'executions' | 'items'>,
): readonly StageGroup[] {
  const groups = new Map<string, Map<string, TimelineItemFragment[]>>();
  for (const stage of state.stages.values()) groups.set(stage.id, new Map());
  for (const execution of state.executions.values()) bucket(groups, execution.stageId, execution.id);
  const items = [...state.items.values()].sort((a, b) => a.sequenceNumber - b.sequenceNumber);
  // Alert updates before the first other item belong to that item.
  let before = items.find((item) => !isNews(item));
  for (const item of items) {
    const { stageId, executionId } = isNews(item) && before !== undefined ? besides(before, groups) : item;
    bucket(groups, stageId ?? '', executionId ?? '').push(item);
    if (!isNews(item)) before = item;
  }
  return [...groups]
    .map(([stageId, agents]) => ({
      key: stageId,
      stage: state.stages.get(stageId) ?? null,
      executions: [...agents]
        .map(([id, own]) => ({
          key: id,
          execution: state.executions.get(id) ?? null,
          items: withSummaries(own),
        }))
        .sort((a, b) => position(a.execution?.agentIndex) - position(b.execution?.agentIndex)),
    }))
    .sort((a, b) => stagePosition(a) - stagePosition(b));
}

/**
 * Returns a stage's agents, each followed by its sub-agents. Failed top-level agents come first, because they need
 * attention.
 */
export function agentsOf({ executions }: StageGroup): readonly Placed<ExecutionGroup>[] {
  const parentOf = ({ execution }: ExecutionGroup) => execution?.parentId ?? null;
  const goesFirst = (group: ExecutionGroup) => Number(hasFailed(group) && parentOf(group) === null);
  const sorted = executions
    .filter(({ execution }) => execution !== null)
    .toSorted((a, b) => goesFirst(b) - goesFirst(a));
  return inTree(sorted, ({ key }) => key, parentOf);
}

export const hasFailed = ({ execution }: ExecutionGroup): boolean =>
  execution?.status === 'FAILED' || execution?.status === 'TIMED_OUT';

const isNews = ({ type }: TimelineItemFragment): boolean =>
  type === 'ALERT_JOINED' || type === 'ALERT_RESOLVED';

/**
 * Returns where an alert update after `before` belongs: to its agent if that is the stage's only one, otherwise to
 * its stage.
 */
function besides(
  { stageId, executionId }: TimelineItemFragment,
  groups: ReadonlyMap<string, ReadonlyMap<string, unknown>>,
): Pick<TimelineItemFragment, 'stageId' | 'executionId'> {
  const agents = [...(groups.get(stageId ?? '')?.keys() ?? [])].filter((id) => id !== '');
  return { stageId, executionId: agents.length === 1 ? executionId : null };
}

function bucket(
  groups: Map<string, Map<string, TimelineItemFragment[]>>,
  stageId: string,
  executionId: string,
): TimelineItemFragment[] {
  const agents = groups.get(stageId) ?? new Map<string, TimelineItemFragment[]>();
  groups.set(stageId, agents);
  const items = agents.get(executionId) ?? [];
  agents.set(executionId, items);
  return items;
}

const position = (index: number | undefined): number => index ?? Number.MAX_SAFE_INTEGER;
const stagePosition = ({ key, stage }: StageGroup): number =>
  key === '' ? Number.POSITIVE_INFINITY : position(stage?.index);
