import type {
  TimelineExecutionFragment,
  TimelineItemFragment,
  TimelineStageFragment,
} from '../../graphql/gen/documents.ts';
import { inTree, type Placed } from '../../lib/in-tree.ts';
import type { TimelineState } from './timeline-reducer.ts';
import { withSummaries } from './timeline-summaries.ts';

/** One agent's items within a stage; `execution` is null for items the stage itself wrote. */
export interface ExecutionGroup {
  readonly key: string;
  readonly execution: TimelineExecutionFragment | null;
  readonly items: readonly TimelineItemFragment[];
}

/** One stage with its agents; `stage` is null for session-level items. */
export interface StageGroup {
  readonly key: string;
  readonly stage: TimelineStageFragment | null;
  readonly executions: readonly ExecutionGroup[];
}

/**
 * The timeline as the page shows it: stages by index, agents by index within, items by sequence number, summaries of results below
 * their calls.
 * Session-level items come last, but for what the alerts did meanwhile: that stands where it came. A stage or agent that has only been mentioned by an item still gets a group.
 */
export function groupTimeline(
  state: Pick<TimelineState, 'stages' | 'executions' | 'items'>,
): readonly StageGroup[] {
  const groups = new Map<string, Map<string, TimelineItemFragment[]>>();
  for (const stage of state.stages.values()) groups.set(stage.id, new Map());
  for (const execution of state.executions.values()) bucket(groups, execution.stageId, execution.id);
  const items = [...state.items.values()].sort((a, b) => a.sequenceNumber - b.sequenceNumber);
  // What comes before anything else was done stands with what is done first.
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

/** A stage's agents, those that failed first: they are what has to be looked at. Each is followed by its sub-agents. */
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

/** The place of what came beside `before`: among its agent's items where that is alone in its stage, else with its stage. */
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
