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

// Where much runs, something changes all the time: one reading for all of a burst.
const GATHER_MS = 600;
/** Cards of a column at first, and the most: a page of the API. */
const FIRST_SIZE = 25;
const MOST = 100;

export interface BoardFeed {
  readonly view: BoardView;
  /** `replace`: the browser's back button does not lead to the view before, as while somebody types. */
  readonly change: (change: Partial<BoardView>, options?: { replace: boolean }) => void;
  /** What was read last, which may be of the view before. */
  readonly board: ReviewBoardQuery | null;
  readonly error: CombinedError | null;
  /** What is shown is not yet what was asked for. */
  readonly stale: boolean;
  readonly reread: () => Promise<void>;
  /** Asks for more cards of a column; null when there are as many as there may be. */
  readonly more: (column: Column) => (() => void) | null;
}

/** The board that the address names, read again when a session or its review changes. */
export function useBoard(): BoardFeed {
  const [params, setParams] = useSearchParams();
  const view = useMemo(() => parseBoard(params), [params]);
  const [sizes, setSizes] = useState<Sizes>(FIRST_SIZES);
  const change = useCallback(
    (part: Partial<BoardView>, { replace } = { replace: false }) =>
      setParams((now) => formatBoard({ ...parseBoard(now), ...part }), { replace }),
    [setParams],
  );
  // How it is arranged asks nothing new of the API.
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
    // Each stage that begins or ends is told, too: that moves no card.
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
  /** The view as an address. */
  readonly view: string;
  readonly sizes: Sizes;
}

const variablesNow = ({ view, sizes }: Asked) =>
  boardVariables(parseBoard(new URLSearchParams(view)), sizes, Date.now());
