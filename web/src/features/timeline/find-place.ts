import { createContext, useContext } from 'react';
import { highlightCurrent, PAGE_HIGHLIGHTS } from '../../components/find-highlights.ts';
import { landOnRange } from '../../lib/land-on-range.ts';
import { findTextRanges, rangeOfText } from '../../lib/text-ranges.ts';
import { belowHead } from './sticky-height.ts';
import type { ItemMatch, ItemPart } from './timeline-search.ts';
import { BAR_HEIGHT } from './use-timeline-window.ts';

/** The match in an item that the search has reached; `null` if it has reached none. */
const FindPlaceContext = createContext<ItemMatch | null>(null);
export const FindPlaceProvider = FindPlaceContext.Provider;

/** Returns the offset of the reached match in a part of an item; `null` if it is elsewhere. */
export function useFindPlace(itemId: string, part: ItemPart): number | null {
  const match = useContext(FindPlaceContext);
  return match?.item.id === itemId && match.part === part ? match.offset : null;
}

/** Scrolls to the current match in an item's row, as soon as the row is rendered. */
export function landOnMatch(match: ItemMatch): void {
  land(() => rangeOfMatch(match));
}

/** Returns the place of a match in the page; `null` while it is not rendered. */
export function rangeOfMatch(match: ItemMatch): Range | null {
  const row = document.getElementById(`event-${match.item.sequenceNumber}`);
  const part = row?.querySelector(`[data-find="${match.part}"]`) ?? null;
  if (part === null) return null;
  const line = [...part.querySelectorAll<HTMLElement>('[data-start]')].findLast(
    ({ dataset }) => Number(dataset.start) <= match.offset,
  );
  const start = match.offset - Number(line?.dataset.start);
  if (line !== undefined) return rangeOfText(line, start, start + match.query.length);
  return findTextRanges(part, match.query, match.index + 1).at(-1) ?? null;
}

/** Scrolls to a match outside the timeline. */
export function landOnText(range: Range): void {
  land(() => range);
}

function land(locate: () => Range | null): void {
  const found = (range: Range): void => highlightCurrent(range, PAGE_HIGHLIGHTS);
  landOnRange({ locate, found, covered: belowHead() + BAR_HEIGHT });
}
