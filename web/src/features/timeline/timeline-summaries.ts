import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';

/** Moves each tool summary right below its call. The summaries of parallel calls arrive after all the calls. */
export function withSummaries(items: readonly TimelineItemFragment[]): readonly TimelineItemFragment[] {
  if (!items.some(isSummary)) return items;
  const calls = new Map<string, number>();
  const below = new Map<number, TimelineItemFragment[]>();
  const moved = new Set<TimelineItemFragment>();
  items.forEach((item, index) => {
    const call = callOf(item);
    if (call === null) return;
    if (item.type === 'LLM_TOOL_CALL') calls.set(call, index);
    const at = calls.get(call);
    if (!isSummary(item) || at === undefined) return;
    below.set(at, [...(below.get(at) ?? []), item]);
    moved.add(item);
  });
  return items.flatMap((item, index) => (moved.has(item) ? [] : [item, ...(below.get(index) ?? [])]));
}

const isSummary = ({ type }: TimelineItemFragment): boolean => type === 'MCP_TOOL_SUMMARY';

/** Returns the id that the model gave to the item's tool call; `null` if it has none. */
function callOf({ metadata }: TimelineItemFragment): string | null {
  const id = (metadata as { tool_call_id?: unknown } | null)?.tool_call_id;
  return typeof id === 'string' ? id : null;
}
