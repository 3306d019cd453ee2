import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { inlineValue } from '../../lib/data-text.ts';
import type { StageGroup } from './timeline-groups.ts';
import { type TimelineState, textOf } from './timeline-reducer.ts';
import { toolCallFacts } from './tool-call.ts';

// Fewer characters are found everywhere.
export const SEARCH_MIN = 2;

/** The items whose words contain the text, whatever its case, in the order in which the page shows them. */
export function searchTimeline(
  groups: readonly StageGroup[],
  state: Pick<TimelineState, 'texts'>,
  wanted: string,
): readonly TimelineItemFragment[] {
  if (wanted.trim().length < SEARCH_MIN) return [];
  const pattern = literal(wanted.trim());
  return groups
    .flatMap((group) => group.executions)
    .flatMap((own) => own.items)
    .filter((item) => pattern.test(textOf(state, item)) || pattern.test(headingOf(item)));
}

/** The text as a pattern that finds exactly it, in any case. */
export function literal(text: string, flags = 'i'): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
}

/** What an item shows besides its content. */
function headingOf(item: TimelineItemFragment): string {
  if (item.type !== 'LLM_TOOL_CALL') return '';
  const { name, args } = toolCallFacts(item.metadata);
  return `${name} ${inlineValue(args)}`;
}
