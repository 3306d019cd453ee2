import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import type { StageGroup } from './timeline-groups.ts';

/**
 * True if an item reports a wait for an unavailable model, by the engine or the LLM service, that has not been given
 * up.
 */
export function isModelWait({ type, status, metadata }: TimelineItemFragment): boolean {
  const { outage, waiting } = (metadata ?? {}) as { outage?: unknown; waiting?: unknown };
  return type === 'ERROR' && (outage === true || waiting === true) && status !== 'FAILED';
}

/** Returns the item of the current wait; undefined if no agent waits for its model. */
export function currentWait(groups: readonly StageGroup[]): TimelineItemFragment | undefined {
  return groups
    .flatMap(({ executions }) => executions)
    .filter(({ execution }) => execution?.status === 'ACTIVE')
    .flatMap(({ items }) => items.at(-1) ?? [])
    .find((item) => item.status === 'STREAMING' && isModelWait(item));
}
