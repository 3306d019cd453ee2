import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { isModelWait } from './model-wait.ts';
import type { StageGroup } from './timeline-groups.ts';
import { toolCallFacts } from './tool-call.ts';

/** What of the timeline the reader wants to see alone. */
export type TimelineOnly = 'calls' | 'failures';

const CALLS: ReadonlySet<string> = new Set(['LLM_TOOL_CALL', 'MCP_TOOL_SUMMARY', 'CODE_EXECUTION']);
const FAILED: ReadonlySet<string> = new Set(['FAILED', 'TIMED_OUT']);

/** Whether something went wrong there; a wait for the model that is over did not. */
function isFailure(item: TimelineItemFragment): boolean {
  if (FAILED.has(item.status)) return true;
  if (item.type === 'LLM_TOOL_CALL') return toolCallFacts(item.metadata).isError;
  return item.type === 'ERROR' && !isModelWait(item);
}

const TESTS: Record<TimelineOnly, (item: TimelineItemFragment) => boolean> = {
  calls: ({ type }) => CALLS.has(type),
  failures: isFailure,
};

/** The groups with only what is wanted; agents and stages without any are left out, unless they failed themselves. */
export function onlyOf(groups: readonly StageGroup[], only: TimelineOnly | null): readonly StageGroup[] {
  if (only === null) return groups;
  return groups.flatMap((group) => {
    const executions = group.executions.flatMap((own) => {
      const items = own.items.filter(TESTS[only]);
      const failed = only === 'failures' && FAILED.has(own.execution?.status ?? '');
      return items.length > 0 || failed ? [{ ...own, items }] : [];
    });
    return executions.length > 0 ? [{ ...group, executions }] : [];
  });
}
