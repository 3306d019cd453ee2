import type {
  TimelineExecutionFragment,
  TimelineItemFragment,
  TimelineStageFragment,
} from '../../graphql/gen/documents.ts';
import { flattenTree, type WithDepth } from '../../lib/flatten-tree.ts';
import type { TimelineState } from './timeline-reducer.ts';

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
 * Groups the timeline for display: stages and agents by index, items by sequence number, tool summaries below
 * their calls. Session-level items come last, except alert updates and hints, which stay where they occurred. Items
 * whose stage or agent is not known yet get a group too.
 */
export function groupTimeline(
  state: Pick<TimelineState, 'stages' | 'executions' | 'items'>,
): readonly StageGroup[] {
  const groups = new Map<string, Map<string, TimelineItemFragment[]>>();
  for (const stage of state.stages.values()) groups.set(stage.id, new Map());
  for (const execution of state.executions.values())
    getOrCreateItems(groups, execution.stageId, execution.id);
  const items = [...state.items.values()].sort((a, b) => a.sequenceNumber - b.sequenceNumber);
  // Updates before the first other item are shown with that item.
  let previous = items.find((item) => !isSessionUpdate(item));
  for (const item of items) {
    const { stageId, executionId } =
      isSessionUpdate(item) && previous !== undefined ? placementAfter(previous, groups) : item;
    getOrCreateItems(groups, stageId ?? '', executionId ?? '').push(item);
    if (!isSessionUpdate(item)) previous = item;
  }
  return [...groups]
    .map(([stageId, agents]) => ({
      key: stageId,
      stage: state.stages.get(stageId) ?? null,
      executions: [...agents]
        .map(([id, own]) => ({
          key: id,
          execution: state.executions.get(id) ?? null,
          items: moveSummariesBelowCalls(own),
        }))
        .sort((a, b) => sortIndex(a.execution?.agentIndex) - sortIndex(b.execution?.agentIndex)),
    }))
    .sort((a, b) => stageSortIndex(a) - stageSortIndex(b));
}

/**
 * Returns the group with its active stage and agents shown as pending, because nothing runs while the session
 * waits.
 */
export function withoutRunningWork(group: StageGroup): StageGroup {
  const { stage, executions } = group;
  return {
    ...group,
    stage: stage && { ...stage, status: stage.status === 'ACTIVE' ? 'PENDING' : stage.status },
    executions: executions.map((own) =>
      own.execution?.status === 'ACTIVE'
        ? { ...own, execution: { ...own.execution, status: 'PENDING' as const } }
        : own,
    ),
  };
}

/**
 * Returns a stage's agents, each followed by its sub-agents. Failed top-level agents come first, because they need
 * attention.
 */
export function orderedAgents({ executions }: StageGroup): readonly WithDepth<ExecutionGroup>[] {
  const parentOf = ({ execution }: ExecutionGroup) => execution?.parentId ?? null;
  const priority = (group: ExecutionGroup) => Number(hasFailed(group) && parentOf(group) === null);
  const sorted = executions
    .filter(({ execution }) => execution !== null)
    .toSorted((a, b) => priority(b) - priority(a));
  return flattenTree(sorted, ({ key }) => key, parentOf);
}

export const hasFailed = ({ execution }: ExecutionGroup): boolean =>
  execution?.status === 'FAILED' || execution?.status === 'TIMED_OUT';

const isSessionUpdate = ({ type }: TimelineItemFragment): boolean =>
  type === 'ALERT_JOINED' || type === 'ALERT_RESOLVED' || type === 'HINT' || type === 'CONCLUSION_REQUESTED';

/**
 * Returns where an update is shown: under the previous item's stage and agent, or under the stage alone if it has
 * several agents.
 */
function placementAfter(
  { stageId, executionId }: TimelineItemFragment,
  groups: ReadonlyMap<string, ReadonlyMap<string, unknown>>,
): Pick<TimelineItemFragment, 'stageId' | 'executionId'> {
  const agents = [...(groups.get(stageId ?? '')?.keys() ?? [])].filter((id) => id !== '');
  return { stageId, executionId: agents.length === 1 ? executionId : null };
}

function getOrCreateItems(
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

const sortIndex = (index: number | undefined): number => index ?? Number.MAX_SAFE_INTEGER;
const stageSortIndex = ({ key, stage }: StageGroup): number =>
  key === '' ? Number.POSITIVE_INFINITY : sortIndex(stage?.index);

/** Moves each tool summary right below its call. The summaries of parallel calls arrive after all the calls. */
export function moveSummariesBelowCalls(
  items: readonly TimelineItemFragment[],
): readonly TimelineItemFragment[] {
  if (!items.some(isSummary)) return items;
  const calls = new Map<string, number>();
  const below = new Map<number, TimelineItemFragment[]>();
  const moved = new Set<TimelineItemFragment>();
  items.forEach((item, index) => {
    const call = callOf(item);
    if (call === null) return;
    if (item.type === 'LLM_TOOL_CALL') calls.set(call, index);
    const at = calls.get(call);
    if (!isSummary(item) || at === undefined) return;
    below.set(at, [...(below.get(at) ?? []), item]);
    moved.add(item);
  });
  return items.flatMap((item, index) => (moved.has(item) ? [] : [item, ...(below.get(index) ?? [])]));
}

const isSummary = ({ type }: TimelineItemFragment): boolean => type === 'MCP_TOOL_SUMMARY';

/** Returns the id that the model gave to the item's tool call; `null` if the call has no id. */
function callOf({ metadata }: TimelineItemFragment): string | null {
  const id = (metadata as { tool_call_id?: unknown } | null)?.tool_call_id;
  return typeof id === 'string' ? id : null;
}
