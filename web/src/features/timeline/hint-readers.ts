import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import type { TimelineState } from './timeline-reducer.ts';

/** Returns the author of a hint and the agent that it is for; `null` if it is for all agents. */
export function hintText({ metadata }: TimelineItemFragment): { author: string; agent: string | null } {
  const { author, agent } = (metadata ?? {}) as { author?: unknown; agent?: unknown };
  return { author: String(author ?? ''), agent: typeof agent === 'string' ? agent : null };
}

/** Returns the names of the agents that have read a hint, in the order of reading. */
export function hintReaders(
  { items, executions }: Pick<TimelineState, 'items' | 'executions'>,
  hint: Pick<TimelineItemFragment, 'sequenceNumber'>,
): string[] {
  const reads = [...items.values()]
    .filter(({ type, metadata }) => type === 'HINT_READ' && numbersOf(metadata).includes(hint.sequenceNumber))
    .sort((a, b) => a.sequenceNumber - b.sequenceNumber);
  const names = reads.map(({ executionId }) => executions.get(executionId ?? '')?.agentName ?? 'an agent');
  return [...new Set(names)];
}

function numbersOf(metadata: unknown): readonly unknown[] {
  const { hints } = (metadata ?? {}) as { hints?: unknown };
  return Array.isArray(hints) ? hints : [];
}
