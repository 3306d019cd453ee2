import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { readAnsi } from '../../lib/ansi.ts';
import { markdownText } from '../../lib/data-text.ts';
import { findOffsets, MIN_FIND_LENGTH } from '../../lib/find-text.ts';
import { prettyJson } from '../../lib/pretty-json.ts';
import type { StageGroup } from './timeline-groups.ts';
import { itemText, type TimelineState } from './timeline-reducer.ts';
import { argumentsText, toolCallFacts } from './tool-call.ts';

/** Part of an item that a match is in: the name of a tool, its arguments, or the text. */
export type ItemPart = 'name' | 'arguments' | 'content';

/** One occurrence of the query in an item. */
export interface ItemMatch {
  readonly kind: 'item';
  readonly key: string;
  readonly item: TimelineItemFragment;
  readonly part: ItemPart;
  /** Number of matches before this one in the part. */
  readonly index: number;
  /** Offset in the part's text (UTF-16 code units). */
  readonly offset: number;
  readonly query: string;
}

/** A search match. `key` identifies it while other matches appear and disappear. */
export type SearchMatch =
  | ItemMatch
  /** A match in the name of a stage, agent, provider or model. */
  | { readonly kind: 'stage'; readonly key: string; readonly group: StageGroup }
  /** A match in a text outside the timeline, such as the verdict, the alert or a question. */
  | { readonly kind: 'text'; readonly key: string; readonly range: Range };

/** Returns every match of the query in stages and items, ignoring case, in page order. */
export function searchTimeline(
  groups: readonly StageGroup[],
  state: Pick<TimelineState, 'texts'>,
  query: string,
): readonly SearchMatch[] {
  const text = query.trim();
  if (text.length < MIN_FIND_LENGTH) return [];
  return groups.flatMap((group): SearchMatch[] => {
    const items = group.executions.flatMap((own) => own.items);
    return [
      ...(findOffsets(stageHeadingText(group), text).length > 0
        ? [{ kind: 'stage', key: `stage:${group.key}`, group } as const]
        : []),
      ...items.flatMap((item) => matchesOf(item, itemText(state, item), text)),
    ];
  });
}

function matchesOf(item: TimelineItemFragment, text: string, query: string): ItemMatch[] {
  const inPart = (part: ItemPart, partText: string): ItemMatch[] =>
    findOffsets(partText, query).map((offset, index) => ({
      ...{ kind: 'item', key: `${item.id}:${part}:${index}`, item, part, index, offset, query },
    }));
  if (item.type !== 'LLM_TOOL_CALL') {
    const shown = inPart('content', shownText(item, text));
    return shown.length > 0 ? shown : inPart('content', text);
  }
  const { name, args } = toolCallFacts(item.metadata);
  return [
    ...inPart('name', name),
    ...inPart('arguments', argumentsText(args)),
    ...inPart('content', shownText(item, text)),
  ];
}

/** Shown texts of finished items, because a search after each key must not format megabytes again. */
const shownTexts = new WeakMap<TimelineItemFragment, string>();

/** Returns the text as the page shows it: JSON indented, without terminal codes and Markdown's marks. */
function shownText(item: TimelineItemFragment, text: string): string {
  const known = item.status === 'STREAMING' ? undefined : shownTexts.get(item);
  if (known !== undefined) return known;
  const shown = item.type === 'LLM_TOOL_CALL' ? readAnsi(prettyJson(text).text).plain : markdownText(text);
  shownTexts.set(item, shown);
  return shown;
}

/** Returns the names in a stage's heading: the stage, its agents, their providers and models. */
function stageHeadingText({ stage, executions }: StageGroup): string {
  const agents = executions.flatMap(({ execution }) =>
    execution === null ? [] : [execution.agentName, execution.llmProvider, execution.modelName],
  );
  return [stage?.name, ...agents].filter(Boolean).join('\n');
}
