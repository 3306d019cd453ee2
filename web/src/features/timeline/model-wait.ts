import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import type { StageGroup } from './timeline-groups.ts';

/** Whether an item tells of a wait for the model, by us or by the LLM service: nothing has failed until it is given up. */
export function isModelWait({ type, status, metadata }: TimelineItemFragment): boolean {
  const { outage, waiting } = (metadata ?? {}) as { outage?: unknown; waiting?: unknown };
  return type === 'ERROR' && (outage === true || waiting === true) && status !== 'FAILED';
}

/** What tells of the wait that the investigation is in now; undefined when no agent waits for its model. */
export function currentWait(groups: readonly StageGroup[]): TimelineItemFragment | undefined {
  return groups
    .flatMap(({ executions }) => executions)
    .filter(({ execution }) => execution?.status === 'ACTIVE')
    .flatMap(({ items }) => items.at(-1) ?? [])
    .find((item) => item.status === 'STREAMING' && isModelWait(item));
}
