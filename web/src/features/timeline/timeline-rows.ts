import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { SHORTENED } from './density.ts';
import { groundingOf } from './grounding.ts';
import { orderedAgents, type StageGroup } from './timeline-groups.ts';

/** The viewer's settings of the timeline: collapsed stages and selected agents. */
export interface TimelineView {
  /** Keys of the collapsed stages. */
  readonly collapsed: ReadonlySet<string>;
  /** Keys of the selected agents, by stage key, for stages with several agents. */
  readonly selectedAgents: ReadonlyMap<string, string>;
}

/** One row of the timeline. `key` identifies it across updates; `isLast` marks the end of a stage's frame. */
export type TimelineRow = { readonly key: string; readonly isLast: boolean } & (
  | { readonly kind: 'stage'; readonly group: StageGroup; readonly open: boolean }
  | { readonly kind: 'agents'; readonly group: StageGroup; readonly selected: string }
  | { readonly kind: 'failure'; readonly text: string }
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'item';
      readonly item: TimelineItemFragment;
      readonly repeated: boolean;
      /** The item with the web sources of this answer; `null` if there is none. */
      readonly grounding: TimelineItemFragment | null;
    }
);

type Draft = TimelineRow extends infer Row ? (Row extends TimelineRow ? Omit<Row, 'isLast'> : never) : never;

/**
 * Returns the timeline as a flat list of rows for the virtualizer. `shownElsewhere` holds texts that the page
 * shows outside the timeline. Conclusions and failed calls with such a text start collapsed; stages and
 * agents omit such an error.
 */
export function timelineRows(
  groups: readonly StageGroup[],
  view: TimelineView,
  shownElsewhere: readonly string[],
): readonly TimelineRow[] {
  return groups.flatMap((group) => {
    const drafts = stageRows(group, view, shownElsewhere);
    return drafts.map((draft, index) => ({ ...draft, isLast: index === drafts.length - 1 }) as TimelineRow);
  });
}

function stageRows(group: StageGroup, view: TimelineView, shownElsewhere: readonly string[]): Draft[] {
  const open = !view.collapsed.has(group.key);
  const rows: Draft[] = [{ kind: 'stage', key: `stage:${group.key}`, group, open }];
  if (!open) return rows;
  const stageError = failureReason(group.stage);
  if (stageError !== null && !isPartOf(shownElsewhere, stageError))
    rows.push({ kind: 'failure', key: `failure:${group.key}`, text: stageError });
  const shown = stageError === null ? shownElsewhere : [...shownElsewhere, stageError];
  const parallel = group.executions.filter(({ execution }) => execution !== null).length > 1;
  const selected = selectedAgent(group, view);
  if (parallel && selected !== null)
    rows.push({ kind: 'agents', key: `agents:${group.key}`, group, selected });
  for (const own of group.executions) {
    if (parallel && own.execution !== null && own.key !== selected) continue;
    const error = failureReason(own.execution);
    if (error !== null && !isPartOf(shown, error))
      rows.push({ kind: 'failure', key: `failure:${own.key}`, text: error });
    const shownOfAgent = error === null ? shown : [...shown, error];
    const last = own.items.length - 1;
    own.items.forEach((item, index) => {
      const repeated = isRepeated(item, own.items[index - 1], shownOfAgent);
      rows.push({ kind: 'item', key: item.id, item, repeated, grounding: groundingOf(own.items, index) });
    });
    if (last < 0 && own.execution?.status === 'ACTIVE') rows.push({ kind: 'idle', key: `idle:${own.key}` });
  }
  return rows;
}

/** Returns the error of a stage or agent; `null` after a cancellation, because the status shows it. */
function failureReason(
  failed: { readonly status: string; readonly errorMessage: string | null } | null,
): string | null {
  return failed === null || failed.status === 'CANCELLED' ? null : failed.errorMessage;
}

/** Returns the key of the agent to show (chosen by the viewer, otherwise the first); `null` if the stage has none. */
function selectedAgent(group: StageGroup, view: TimelineView): string | null {
  const agents = orderedAgents(group);
  const wanted = view.selectedAgents.get(group.key);
  return (agents.find(({ key }) => key === wanted) ?? agents[0])?.key ?? null;
}

/** True if one of the texts contains the error, apart from its last full stop. */
function isPartOf(texts: readonly string[], error: string): boolean {
  const words = error.replace(/\.$/, '');
  return words !== '' && texts.some((text) => text.includes(words));
}

/**
 * True if a conclusion equals the previous response or a text of `shownElsewhere`, or if an error is part of
 * such a text.
 */
function isRepeated(
  item: TimelineItemFragment,
  before: TimelineItemFragment | undefined,
  shownElsewhere: readonly string[],
): boolean {
  if (item.type === 'ERROR') return isPartOf(shownElsewhere, item.content);
  if (item.type !== 'FINAL_ANALYSIS' && item.type !== 'EXECUTIVE_SUMMARY') return false;
  return item.content !== '' && (before?.content === item.content || shownElsewhere.includes(item.content));
}

// Estimates for the wide layout (px and characters); they keep the scroll bar plausible until a row is measured.
const HEADING = 58;
const LINE = 21;
const CHARACTERS_PER_LINE = 100;
const MAX_ITEM_HEIGHT = 2_400;

/** Returns the estimated height of a row in px, before it is rendered. */
export function estimatedRowHeight(row: TimelineRow, isCompact: boolean): number {
  switch (row.kind) {
    case 'stage':
      return HEADING;
    case 'agents':
      return 32 * row.group.executions.length + 32;
    case 'failure':
    case 'idle':
      return 36;
    case 'item':
      return itemHeight(row.item, row.repeated || (isCompact && SHORTENED.has(row.item.type)));
  }
}

function itemHeight(item: TimelineItemFragment, shortened: boolean): number {
  const collapsed =
    item.type === 'LLM_TOOL_CALL' || item.type === 'LLM_THINKING' || item.type === 'MCP_TOOL_SUMMARY';
  if (collapsed || shortened) return 54;
  const lines = item.content.length / CHARACTERS_PER_LINE + item.content.split('\n', 120).length;
  return Math.min(MAX_ITEM_HEIGHT, 44 + lines * LINE);
}

/** Returns the view changed so that the item is visible: its stage expanded and its agent selected. */
export function viewRevealing(
  view: TimelineView,
  groups: readonly StageGroup[],
  itemId: string,
): TimelineView {
  for (const group of groups) {
    const own = group.executions.find(({ items }) => items.some(({ id }) => id === itemId));
    if (own === undefined) continue;
    return {
      collapsed: withoutValue(view.collapsed, group.key),
      selectedAgents:
        own.execution === null ? view.selectedAgents : new Map(view.selectedAgents).set(group.key, own.key),
    };
  }
  return view;
}

export function withoutValue<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  if (!set.has(value)) return set;
  const copy = new Set(set);
  copy.delete(value);
  return copy;
}
