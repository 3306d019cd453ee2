import Box from '@mui/material/Box';
import GlobalStyles from '@mui/material/GlobalStyles';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { PAGE_HIGHLIGHTS, PAGE_STYLES, useFindHighlights } from '../../components/find-highlights.ts';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { useOpenState } from '../../lib/open-state.ts';
import { FindPlaceProvider, landOnMatch, landOnText, rangeOfMatch } from './find-place.ts';
import { belowHead } from './sticky-height.ts';
import { TimelineBar } from './timeline-bar.tsx';
import { filterGroups, type TimelineFilter } from './timeline-filter.ts';
import type { StageGroup } from './timeline-groups.ts';
import { TimelineRow } from './timeline-row.tsx';
import type { TimelineRow as Row } from './timeline-rows.ts';
import type { ItemMatch, SearchMatch } from './timeline-search.ts';
import { stageName } from './timeline-stage.tsx';
import { useHashNavigation } from './use-hash-navigation.ts';
import { useTimelineSearch } from './use-timeline-search.ts';
import { useTimelineView } from './use-timeline-view.ts';
import { BAR_HEIGHT, useTimelineWindow } from './use-timeline-window.ts';

interface Props {
  /** True once the stored events have been read. */
  readonly caughtUp: boolean;
  readonly groups: readonly StageGroup[];
  /** Texts that the page already shows outside the timeline. */
  readonly shownElsewhere: readonly string[];
  /** Called after each layout of the rows before the paint, to keep the end in view while the viewer follows it. */
  readonly settle: () => void;
  /** Stops following the end; called before scrolling to a row. */
  readonly pause: () => void;
  /** Scrolls to a conclusion outside the timeline; undefined if there is none. */
  readonly goToConclusion: (() => void) | undefined;
}

/** Shows the investigation stage by stage. Only the rows near the window are rendered. */
export function Timeline({
  caughtUp,
  groups: allGroups,
  shownElsewhere,
  settle,
  pause,
  goToConclusion,
}: Props) {
  const [filter, setFilter] = useState<TimelineFilter | null>(null);
  const groups = useMemo(() => filterGroups(allGroups, filter), [allGroups, filter]);
  const list = useRef<HTMLOListElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const section = useRef<HTMLElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const { rows, revealItem, ...view } = useTimelineView(groups, shownElsewhere);
  const { virtualizer, margin, scrollToKey } = useTimelineWindow(rows, frame);
  const { highlighted, goToItem, showItem, goToStage } = useRowNavigation({
    rows,
    revealItem,
    scrollToKey,
    pause,
  });
  const [place, setPlace] = useState<ItemMatch | null>(null);
  const goToMatch = useCallback(
    (match: SearchMatch) => {
      setPlace(match.kind === 'item' ? match : null);
      if (match.kind === 'stage') goToStage(match.group);
      else if (match.kind === 'item') {
        showItem(match.item, match.part !== 'name');
        landOnMatch(match);
      } else {
        pause();
        landOnText(match.range);
      }
    },
    [showItem, goToStage, pause],
  );
  const search = useTimelineSearch(groups, section, goToMatch);
  const current = useCallback(() => (place === null ? null : rangeOfMatch(place)), [place]);
  useFindHighlights({ query: search.query, names: PAGE_HIGHLIGHTS, root: mainElement, current });
  const showAll = useCallback(() => setFilter(null), []);
  useHashNavigation({ groups: allGroups, ready: caughtUp, goToItem, goToStage, showAll });
  useLayoutEffect(settle);

  const lines = virtualizer.getVirtualItems();
  const conclusion = useMemo(() => lastConclusion(allGroups), [allGroups]);
  const goToItemIn = (item: TimelineItemFragment) => (): void => {
    showAll();
    goToItem(item);
  };
  const goToInnerConclusion =
    goToConclusion === undefined && conclusion !== undefined ? goToItemIn(conclusion) : undefined;
  const actions = useMemo(
    () => ({ toggleStage: view.toggleStage, selectAgent: view.selectAgent }),
    [view.toggleStage, view.selectAgent],
  );
  return (
    <Box component="section" aria-label="Timeline" ref={section}>
      {search.query === '' ? null : <GlobalStyles styles={PAGE_STYLES} />}
      <TimelineBar
        search={search}
        inputRef={input}
        currentStage={stageNameAt(rows, topRowIndex(virtualizer))}
        allCollapsed={view.allCollapsed}
        toggleAllStages={view.toggleAllStages}
        filter={filter}
        setFilter={setFilter}
        goToConclusion={goToConclusion ?? goToInnerConclusion}
      />
      {rows.length > 0 ? null : (
        <Box role="status" sx={{ py: 2, color: 'text.secondary' }}>
          {filter === 'calls' ? 'No tool calls.' : 'No failures.'}
        </Box>
      )}
      <FindPlaceProvider value={place}>
        <Box ref={frame} style={{ height: virtualizer.getTotalSize() }} sx={rowsFrame}>
          <Box
            component="ol"
            ref={list as RefObject<HTMLOListElement>}
            style={{ transform: `translateY(${(lines[0]?.start ?? margin) - margin}px)` }}
            sx={rowsInView}
          >
            {lines.map(({ index, key }) => {
              const row = rows[index]!;
              return (
                <li
                  key={key}
                  data-index={index}
                  ref={virtualizer.measureElement}
                  id={row.kind === 'item' ? `event-${row.item.sequenceNumber}` : undefined}
                  aria-setsize={rows.length}
                  aria-posinset={index + 1}
                >
                  <TimelineRow row={row} highlighted={row.key === highlighted} actions={actions} />
                </li>
              );
            })}
          </Box>
        </Box>
      </FindPlaceProvider>
    </Box>
  );
}

interface RowNavigationDeps {
  readonly rows: readonly Row[];
  readonly revealItem: (itemId: string) => void;
  readonly scrollToKey: (key: string) => boolean;
  readonly pause: () => void;
}

/** Scrolls to the row of a stage or item. An item's stage is expanded and its agent selected first. */
function useRowNavigation({ rows, revealItem, scrollToKey, pause }: RowNavigationDeps) {
  const memory = useOpenState();
  const [highlighted, setHighlighted] = useState<string | null>(null);
  const [pendingKey, setPendingKey] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: changed rows may contain the pending key now
  useEffect(() => {
    if (pendingKey !== null && scrollToKey(pendingKey)) setPendingKey(null);
  }, [pendingKey, rows, scrollToKey]);
  const goTo = useCallback(
    (key: string) => {
      pause();
      setHighlighted(key);
      setPendingKey(key);
    },
    [pause],
  );
  const goToItem = useCallback(
    (item: TimelineItemFragment) => {
      memory?.set(item.id, true);
      revealItem(item.id);
      goTo(item.id);
    },
    [memory, revealItem, goTo],
  );
  /** Like goToItem, but leaves the scroll position to the caller if the row is rendered. */
  const showItem = useCallback(
    (item: TimelineItemFragment, open: boolean) => {
      if (open) memory?.set(item.id, true);
      if (document.getElementById(`event-${item.sequenceNumber}`) === null) {
        revealItem(item.id);
        goTo(item.id);
        return;
      }
      pause();
      setHighlighted(item.id);
    },
    [memory, revealItem, goTo, pause],
  );
  const goToStage = useCallback((group: StageGroup) => goTo(`stage:${group.key}`), [goTo]);
  return { highlighted, goToItem, showItem, goToStage };
}

/** Returns the index of the first row that is visible below the timeline bar. */
function topRowIndex(virtualizer: ReturnType<typeof useTimelineWindow>['virtualizer']): number {
  const offset = (virtualizer.scrollOffset ?? 0) + belowHead() + BAR_HEIGHT;
  return virtualizer.getVirtualItemForOffset(offset)?.index ?? 0;
}

/** Returns the last final analysis; undefined if there is none. */
function lastConclusion(groups: readonly StageGroup[]): TimelineItemFragment | undefined {
  return groups
    .flatMap((group) => group.executions)
    .flatMap((own) => own.items)
    .findLast((item) => item.type === 'FINAL_ANALYSIS');
}

/** Returns the index and name of the stage to which a row belongs, such as `2. Analysis`. */
function stageNameAt(rows: readonly Row[], index: number): string {
  for (let at = Math.min(index, rows.length - 1); at >= 0; at -= 1) {
    const row = rows[at]!;
    if (row.kind !== 'stage') continue;
    return row.group.stage === null
      ? stageName(row.group)
      : `${row.group.stage.index}. ${stageName(row.group)}`;
  }
  return 'Timeline';
}

const mainElement = (): Element | null => document.getElementById('main');

const rowsFrame = { position: 'relative', '@media print': { height: 'auto !important' } } as const;

const rowsInView = {
  position: 'absolute',
  '@media print': { position: 'static' },
  inset: '0 0 auto 0',
  m: 0,
  p: 0,
  listStyle: 'none',
} as const;
