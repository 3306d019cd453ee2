import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { isModelWait } from './model-wait.ts';
import type { StageGroup } from './timeline-groups.ts';
import { toolCallFacts } from './tool-call.ts';

export type TimelineFilter = 'calls' | 'failures';

const CALLS: ReadonlySet<string> = new Set(['LLM_TOOL_CALL', 'MCP_TOOL_SUMMARY', 'CODE_EXECUTION']);
const FAILED: ReadonlySet<string> = new Set(['FAILED', 'TIMED_OUT']);

/** True if the item reports a failure. A wait for the model is none, unless the agent gave up. */
function isFailure(item: TimelineItemFragment): boolean {
  if (FAILED.has(item.status)) return true;
  if (item.type === 'LLM_TOOL_CALL') return toolCallFacts(item.metadata).isError;
  return item.type === 'ERROR' && !isModelWait(item);
}

const PREDICATES: Record<TimelineFilter, (item: TimelineItemFragment) => boolean> = {
  calls: ({ type }) => CALLS.has(type),
  failures: isFailure,
};

/**
 * Returns the groups with only the items that match the filter. Agents and stages without such items are removed; with
 * `failures`, failed agents stay.
 */
export function filterGroups(
  groups: readonly StageGroup[],
  filter: TimelineFilter | null,
): readonly StageGroup[] {
  if (filter === null) return groups;
  return groups.flatMap((group) => {
    const executions = group.executions.flatMap((agent) => {
      const items = agent.items.filter(PREDICATES[filter]);
      const failed = filter === 'failures' && FAILED.has(agent.execution?.status ?? '');
      return items.length > 0 || failed ? [{ ...agent, items }] : [];
    });
    return executions.length > 0 ? [{ ...group, executions }] : [];
  });
}
