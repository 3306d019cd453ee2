import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { inlineValue } from '../../lib/data-text.ts';
import { isFinished } from '../../lib/status.ts';
import { isModelWait } from './model-wait.ts';
import type { ExecutionGroup } from './timeline-groups.ts';
import { toolCallFacts } from './tool-call.ts';

/**
 * Returns what an agent does now, or did last, in a few words; '' if nothing is known. An agent that has nothing else
 * to do waits for its sub-agents.
 */
export function activityOf(agent: ExecutionGroup, agents: readonly ExecutionGroup[]): string {
  const last = agent.items.at(-1);
  const own = agents.flatMap(({ execution }) => (execution?.parentId === agent.key ? [execution] : []));
  const running = own.filter(({ status }) => !isFinished(status)).length;
  if (running > 0 && last?.status !== 'STREAMING')
    return `waiting for ${running} of ${own.length} ${own.length === 1 ? 'sub-agent' : 'sub-agents'}`;
  return last === undefined ? '' : activityOfItem(last);
}

function activityOfItem(item: TimelineItemFragment): string {
  if (isModelWait(item))
    return item.status === 'STREAMING' ? 'waiting for the model' : 'waited for the model';
  switch (item.type) {
    case 'LLM_TOOL_CALL': {
      const { name: tool, args } = toolCallFacts(item.metadata);
      return `${tool} ${inlineValue(args)}`;
    }
    case 'LLM_THINKING':
      return 'thinking';
    case 'LLM_RESPONSE':
      return item.status === 'STREAMING' ? 'writing' : 'wrote a response';
    case 'FINAL_ANALYSIS':
      return item.status === 'STREAMING' ? 'writing the analysis' : 'wrote the analysis';
    case 'MCP_TOOL_SUMMARY':
      return 'summarizing a result';
    case 'APPROVAL_REQUESTED':
      return 'waiting for approval';
    case 'SUBAGENT_TASK':
      return 'starting';
    case 'ERROR':
      return item.content;
    default:
      return '';
  }
}
