import type { TimelineEventType } from '../../graphql/gen/documents.ts';
import { useStoredChoice } from '../../lib/stored.ts';

/** How much of each entry the timeline shows: the whole text, or only its beginning. */
const DENSITIES = ['detailed', 'compact'] as const;

/** Returns the viewer's choice, which the browser stores, and its setter. */
export const useDensity = () => useStoredChoice('timeline-density', DENSITIES, 'detailed');

/** Types of entries with long texts, which a compact timeline shortens. */
export const SHORTENED: ReadonlySet<TimelineEventType> = new Set([
  'LLM_RESPONSE',
  'CODE_EXECUTION',
  'SUBAGENT_TASK',
  'USER_QUESTION',
  'FINAL_ANALYSIS',
  'EXECUTIVE_SUMMARY',
]);
