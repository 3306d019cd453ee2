import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { inlineValue } from '../../lib/data-text.ts';
import type { StageGroup } from './timeline-groups.ts';
import { type TimelineState, textOf } from './timeline-reducer.ts';
import { toolCallFacts } from './tool-call.ts';

// Fewer characters are found everywhere.
export const SEARCH_MIN = 2;

/** Where the words that are looked for stand. `key` is its identity while others come and go. */
export type SearchMatch = { readonly key: string } & (
  | { readonly kind: 'item'; readonly item: TimelineItemFragment }
  /** In the name of a stage, or of one of its agents. */
  | { readonly kind: 'stage'; readonly group: StageGroup }
  /** Elsewhere on the page: verdict, alert, questions. */
  | { readonly kind: 'place'; readonly range: Range }
);

/** The stages and items whose words contain the text, whatever its case, in the order in which the page shows them. */
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

/** The text as a pattern that finds exactly it, in any case. */
export function literal(text: string, flags = 'i'): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
}

/** What the heading of a stage shows: its name, and who works in it with what. */
function namesOf({ stage, executions }: StageGroup): string {
  const agents = executions.flatMap(({ execution }) =>
    execution === null ? [] : [execution.agentName, execution.llmProvider, execution.modelName],
  );
  return [stage?.name, ...agents].filter(Boolean).join('\n');
}

/** What an item shows besides its content. */
function headingOf(item: TimelineItemFragment): string {
  if (item.type !== 'LLM_TOOL_CALL') return '';
  const { name, args } = toolCallFacts(item.metadata);
  return `${name} ${inlineValue(args)}`;
}
