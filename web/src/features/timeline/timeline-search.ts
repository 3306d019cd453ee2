import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { inlineValue } from '../../lib/data-text.ts';
import type { StageGroup } from './timeline-groups.ts';
import { type TimelineState, textOf } from './timeline-reducer.ts';
import { toolCallFacts } from './tool-call.ts';

// A shorter query matches almost everything.
export const SEARCH_MIN = 2;

/** A search match. `key` identifies it while other matches come and go. */
export type SearchMatch = { readonly key: string } & (
  | { readonly kind: 'item'; readonly item: TimelineItemFragment }
  /** The name of a stage, or of one of its agents. */
  | { readonly kind: 'stage'; readonly group: StageGroup }
  /** Text outside the timeline: verdict, alert, questions. */
  | { readonly kind: 'place'; readonly range: Range }
);

/** Returns the stages and items that contain the query, in any case, in the order of the page. */
export function searchTimeline(
  groups: readonly StageGroup[],
  state: Pick<TimelineState, 'texts'>,
  wanted: string,
): readonly SearchMatch[] {
  if (wanted.trim().length < SEARCH_MIN) return [];
  const pattern = literal(wanted.trim());
  return groups.flatMap((group): SearchMatch[] => {
    const items = group.executions
      .flatMap((own) => own.items)
      .filter((item) => pattern.test(textOf(state, item)) || pattern.test(headingOf(item)));
    return [
      ...(pattern.test(namesOf(group)) ? [{ kind: 'stage', key: `stage:${group.key}`, group } as const] : []),
      ...items.map((item) => ({ kind: 'item', key: item.id, item }) as const),
    ];
  });
}

/** Returns a pattern that matches the text literally, in any case. */
export function literal(text: string, flags = 'i'): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
}

/** Returns the names in the heading of a stage: its own, its agents and their models. */
function namesOf({ stage, executions }: StageGroup): string {
  const agents = executions.flatMap(({ execution }) =>
    execution === null ? [] : [execution.agentName, execution.llmProvider, execution.modelName],
  );
  return [stage?.name, ...agents].filter(Boolean).join('\n');
}

/** Returns the text that an item shows in addition to its content. */
function headingOf(item: TimelineItemFragment): string {
  if (item.type !== 'LLM_TOOL_CALL') return '';
  const { name, args } = toolCallFacts(item.metadata);
  return `${name} ${inlineValue(args)}`;
}
