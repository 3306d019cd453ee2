import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import type { StageGroup } from './timeline-groups.ts';

/**
 * True if an item reports that the engine or the LLM service waits or waited for an unavailable model. A wait that
 * ended in failure does not count.
 */
export function isModelWait({ type, status, metadata }: TimelineItemFragment): boolean {
  const { outage, waiting } = (metadata ?? {}) as { outage?: unknown; waiting?: unknown };
  return type === 'ERROR' && (outage === true || waiting === true) && status !== 'FAILED';
}

/** Returns the item of an agent's current wait for its model; undefined if no agent waits. */
export function currentWait(groups: readonly StageGroup[]): TimelineItemFragment | undefined {
  return groups
    .flatMap(({ executions }) => executions)
    .filter(({ execution }) => execution?.status === 'ACTIVE')
    .flatMap(({ items }) => items.at(-1) ?? [])
    .find((item) => item.status === 'STREAMING' && isModelWait(item));
}
