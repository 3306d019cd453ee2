import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type CombinedError, useSubscription } from 'urql';
import {
  ReviewBoardChangedDocument,
  ReviewBoardDocument,
  type ReviewBoardQuery,
  type SessionStatus,
} from '../../graphql/gen/documents.ts';
import { useReading } from '../../graphql/use-reading.ts';
import { useSearchParams } from '../../lib/router.tsx';
import { useRereadSoon } from '../../lib/use-reread-soon.ts';
import { standing } from './board-action.ts';
import {
  type BoardView,
  boardVariables,
  type Column,
  formatBoard,
  parseBoard,
  type Sizes,
} from './board-view.ts';

// On a busy system sessions change all the time: one query is enough for a burst (ms).
const GATHER_MS = 600;
/** Cards per column at first, and at most: one page of the API. */
const FIRST_SIZE = 25;
const MOST = 100;

export interface BoardFeed {
  readonly view: BoardView;
  /** Changes the view. `replace` adds no history entry, for example while the viewer types. */
  readonly change: (change: Partial<BoardView>, options?: { replace: boolean }) => void;
  /** The board that was read last; it may belong to the previous view. */
  readonly board: ReviewBoardQuery | null;
  readonly error: CombinedError | null;
  /** True while `board` does not belong to the current view. */
  readonly stale: boolean;
  readonly reread: () => Promise<void>;
  /** Returns a function that reads more cards of a column; `null` at the maximum. */
  readonly more: (column: Column) => (() => void) | null;
}

/** Reads the board of the view in the URL, and again when a session's status or review changes. */
export function useBoard(): BoardFeed {
  const [params, setParams] = useSearchParams();
  const view = useMemo(() => parseBoard(params), [params]);
  const [sizes, setSizes] = useState<Sizes>(FIRST_SIZES);
  const change = useCallback(
    (part: Partial<BoardView>, { replace } = { replace: false }) =>
      setParams((now) => formatBoard({ ...parseBoard(now), ...part }), { replace }),
    [setParams],
  );
  // Grouping and column need no other query.
  const address = formatBoard({ ...view, group: null, column: 'waiting' }).toString();
  const asked = useMemo(() => ({ view: address, sizes }), [address, sizes]);
  const { data: board, shown, error, reread } = useReading(ReviewBoardDocument, asked, variablesNow);
  const soon = useRereadSoon(reread, GATHER_MS);
  const known = useRef<Map<string, string>>(new Map());
  useEffect(() => {
    for (const { nodes } of Object.values(board ?? {}).filter((column) => typeof column === 'object'))
      for (const { id, status, review } of nodes) known.current.set(id, placeOf(status, review));
  }, [board]);
  useSubscription({ query: ReviewBoardChangedDocument }, (_before, data) => {
    const { id, status, review } = data.sessionsChanged.session;
    const place = placeOf(status, review);
    // The subscription also reports stages, which do not move cards.
    if (known.current.get(id) !== place) soon();
    known.current.set(id, place);
    return data;
  });
  const more = (column: Column) =>
    sizes[column] >= MOST
      ? null
      : () => setSizes((now) => ({ ...now, [column]: now[column] === FIRST_SIZE ? 50 : MOST }));
  return { view, change, board, error, stale: shown?.view !== address, reread, more };
}

const placeOf = (status: SessionStatus, review: Parameters<typeof standing>[0]): string =>
  `${status}\n${standing(review)}`;

const FIRST_SIZES: Sizes = { running: FIRST_SIZE, waiting: FIRST_SIZE, begun: FIRST_SIZE, done: FIRST_SIZE };

interface Asked {
  /** URL parameters of the view. */
  readonly view: string;
  readonly sizes: Sizes;
}

const variablesNow = ({ view, sizes }: Asked) =>
  boardVariables(parseBoard(new URLSearchParams(view)), sizes, Date.now());
