import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';

/**
 * True if an item reports that the engine or the LLM service waits or waited for an unavailable model. A wait that
 * ended in failure does not count.
 */
export function isModelWait({ type, status, metadata }: TimelineItemFragment): boolean {
  const { outage, waiting } = (metadata ?? {}) as { outage?: unknown; waiting?: unknown };
  return type === 'ERROR' && (outage === true || waiting === true) && status !== 'FAILED';
}
