import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { inlineValue } from '../../lib/data-text.ts';
import type { StageGroup } from './timeline-groups.ts';
import { itemText, type TimelineState } from './timeline-reducer.ts';
import { toolCallFacts } from './tool-call.ts';

// Minimum length of a query; a shorter query matches almost everything.
export const MIN_SEARCH_LENGTH = 2;

/** A search match. `key` identifies it while other matches appear and disappear. */
export type SearchMatch = { readonly key: string } & (
  | { readonly kind: 'item'; readonly item: TimelineItemFragment }
  /** A match in the name of a stage, agent, provider or model. */
  | { readonly kind: 'stage'; readonly group: StageGroup }
  /** A match in a text outside the timeline, such as the verdict, the alert or a question. */
  | { readonly kind: 'text'; readonly range: Range }
);

/** Returns the stages and items that contain the query, ignoring case, in page order. */
export function searchTimeline(
  groups: readonly StageGroup[],
  state: Pick<TimelineState, 'texts'>,
  query: string,
): readonly SearchMatch[] {
  if (query.trim().length < MIN_SEARCH_LENGTH) return [];
  const pattern = literalPattern(query.trim());
  return groups.flatMap((group): SearchMatch[] => {
    const items = group.executions
      .flatMap((own) => own.items)
      .filter((item) => pattern.test(itemText(state, item)) || pattern.test(itemHeadingText(item)));
    return [
      ...(pattern.test(stageHeadingText(group))
        ? [{ kind: 'stage', key: `stage:${group.key}`, group } as const]
        : []),
      ...items.map((item) => ({ kind: 'item', key: item.id, item }) as const),
    ];
  });
}

/** Returns a pattern that matches the text literally; by default, case is ignored. */
export function literalPattern(text: string, flags = 'i'): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
}

/** Returns the names in a stage's heading: the stage, its agents, their providers and models. */
function stageHeadingText({ stage, executions }: StageGroup): string {
  const agents = executions.flatMap(({ execution }) =>
    execution === null ? [] : [execution.agentName, execution.llmProvider, execution.modelName],
  );
  return [stage?.name, ...agents].filter(Boolean).join('\n');
}

/** Returns the text that an item shows in addition to its content. */
function itemHeadingText(item: TimelineItemFragment): string {
  if (item.type !== 'LLM_TOOL_CALL') return '';
  const { name, args } = toolCallFacts(item.metadata);
  return `${name} ${inlineValue(args)}`;
}
