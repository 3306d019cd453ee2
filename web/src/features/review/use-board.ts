import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type CombinedError, useSubscription } from 'urql';
import type { ReviewBoardQuery, SessionStatus } from '../../graphql/gen/documents.ts';
import { ReviewBoardChangedDocument, ReviewBoardDocument } from '../../graphql/gen/lazy-documents.ts';
import { useFreshQuery } from '../../graphql/use-fresh-query.ts';
import { useSearchParams } from '../../lib/router.tsx';
import { useDelayedRefetch } from '../../lib/use-delayed-refetch.ts';
import { MISSED_CHANGES_MS, usePolling } from '../../lib/use-polling.ts';
import { reviewState } from './board-action.ts';
import {
  type BoardView,
  boardVariables,
  type Column,
  formatBoard,
  parseBoard,
  type Sizes,
} from './board-view.ts';

// Delay (ms) before a query, so that a burst of session changes causes one query.
const BATCH_MS = 600;
/** Number of cards read per column at first, and the maximum, which is one page of the API. */
const INITIAL_SIZE = 25;
const MAX_SIZE = 100;

export interface BoardFeed {
  readonly view: BoardView;
  /** Changes the view. `replace` adds no history entry, for example while the viewer types. */
  readonly change: (change: Partial<BoardView>, options?: { replace: boolean }) => void;
  /** The board that was read last; it may belong to the previous view. */
  readonly board: ReviewBoardQuery | null;
  readonly error: CombinedError | null;
  /** True while `board` does not belong to the current view. */
  readonly stale: boolean;
  readonly refetch: () => Promise<void>;
  /** Returns a function that reads more cards of a column; `null` if the maximum has been read. */
  readonly more: (column: Column) => (() => void) | null;
}

/** Reads the board of the view in the URL, and again when a session's status or review changes. */
export function useBoard(): BoardFeed {
  const [params, setParams] = useSearchParams();
  const view = useMemo(() => parseBoard(params), [params]);
  const [sizes, setSizes] = useState<Sizes>(INITIAL_SIZES);
  const change = useCallback(
    (part: Partial<BoardView>, { replace } = { replace: false }) =>
      setParams((now) => formatBoard({ ...parseBoard(now), ...part }), { replace }),
    [setParams],
  );
  // Grouping and column do not affect the query, so they get fixed values here.
  const address = formatBoard({ ...view, group: null, column: 'waiting' }).toString();
  const asked = useMemo(() => ({ view: address, sizes }), [address, sizes]);
  const { data: board, shown, error, refetch } = useFreshQuery(ReviewBoardDocument, asked, variablesNow);
  const rereadSoon = useDelayedRefetch(refetch, BATCH_MS);
  const known = useRef<Map<string, string>>(new Map());
  useEffect(() => {
    for (const { nodes } of Object.values(board ?? {}).filter((column) => typeof column === 'object'))
      for (const { id, status, review } of nodes) known.current.set(id, cardState(status, review));
  }, [board]);
  useSubscription({ query: ReviewBoardChangedDocument }, (_before, data) => {
    const { id, status, review } = data.sessionsChanged.session;
    const state = cardState(status, review);
    // The subscription also reports stage changes, which do not move cards.
    if (known.current.get(id) !== state) rereadSoon();
    known.current.set(id, state);
    return data;
  });
  usePolling(refetch, MISSED_CHANGES_MS);
  const more = (column: Column) =>
    sizes[column] >= MAX_SIZE
      ? null
      : () => setSizes((now) => ({ ...now, [column]: now[column] === INITIAL_SIZE ? 50 : MAX_SIZE }));
  return { view, change, board, error, stale: shown?.view !== address, refetch, more };
}

const cardState = (status: SessionStatus, review: Parameters<typeof reviewState>[0]): string =>
  `${status}\n${reviewState(review)}`;

const INITIAL_SIZES: Sizes = {
  running: INITIAL_SIZE,
  waiting: INITIAL_SIZE,
  begun: INITIAL_SIZE,
  done: INITIAL_SIZE,
};

interface Asked {
  /** URL parameters of the view, without grouping and column. */
  readonly view: string;
  readonly sizes: Sizes;
}

const variablesNow = ({ view, sizes }: Asked) =>
  boardVariables(parseBoard(new URLSearchParams(view)), sizes, Date.now());
