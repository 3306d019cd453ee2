import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Page } from '../../components/app-shell.tsx';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { useRights } from '../../components/use-rights.ts';
import type { BoardCardFragment, ReviewBoardQuery } from '../../graphql/gen/documents.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { useDraftState } from '../../lib/use-draft-state.ts';
import type { BoardAction } from './board-action.ts';
import { BoardBar } from './board-bar.tsx';
import { BoardColumn } from './board-column.tsx';
import { BoardDialog } from './board-dialog.tsx';
import { BoardFilters } from './board-filters.tsx';
import { COLUMN_NAMES, COLUMNS, type Column, countFilters } from './board-view.ts';
import { REVIEW_PAGES } from './review-labels.ts';
import { useBoard } from './use-board.ts';
import { useBoardActions } from './use-board-actions.ts';
import { focusCard, focusedCard, neighboursOf, useBoardShortcuts } from './use-board-shortcuts.ts';

/** The review board, with keyboard shortcuts: a column of running sessions, then one for each review status. */
export default function BoardPage() {
  useDocumentTitle('Review');
  const feed = useBoard();
  const { view, change, board, error, stale, refetch, more } = feed;
  const cards = useMemo(
    () => (board === null ? [] : COLUMNS.flatMap((column) => board[column].nodes)),
    [board],
  );
  const { act, outcome, busy, dismiss } = useBoardActions(cards, refetch);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [ratingForm, setRatingForm] = useDraftState<RatingForm | null>('review.board.of', null);
  const search = useRef<HTMLInputElement>(null);
  const whyNot = useRights().whyNot('REVIEW');
  const prepareFocus = useFocusAfterMove(board);

  const chosen = cards.filter(({ id, review }) => review !== null && selected.has(id));
  const targetCards = (): readonly BoardCardFragment[] => {
    const id = focusedCard();
    return chosen.length > 0 ? chosen : cards.filter((card) => card.id === id && card.review !== null);
  };
  const runAction = async (targets: readonly BoardCardFragment[], action: BoardAction): Promise<void> => {
    if (whyNot !== null || busy || targets.length === 0) return;
    prepareFocus(new Set(targets.map(({ id }) => id)));
    const { done, refusals } = await act(targets, action);
    setSelected((now) => new Set([...now].filter((id) => !done.has(id))));
    // The dialog stays open if the server refused the rating for every session.
    setRatingForm((now) => (done.size === 0 && now !== null ? { ...now, refusals } : null));
  };
  const toggle = useCallback(
    (id: string) =>
      setSelected((now) =>
        now.has(id) ? new Set([...now].filter((each) => each !== id)) : new Set([...now, id]),
      ),
    [],
  );
  const toggleAll = useCallback((own: readonly BoardCardFragment[]) => {
    setSelected((now) => {
      const next = new Set(now);
      const all = own.every(({ id }) => now.has(id));
      for (const { id } of own) {
        if (all) next.delete(id);
        else next.add(id);
      }
      return next;
    });
  }, []);
  const clear = (): void => setSelected(new Set());
  const openForm = (): void => {
    const targets = targetCards();
    if (whyNot === null && targets.length > 0) setRatingForm({ cards: targets, refusals: [] });
  };
  useBoardShortcuts(search, {
    act: (action) => void runAction(targetCards(), action),
    openForm,
    toggle: (id) => cards.some((card) => card.id === id && card.review !== null) && toggle(id),
    clear,
    undo: () => !busy && void outcome?.undo?.(),
  });
  const reviewers = useMemo(
    () => [...new Set(cards.flatMap(({ review }) => review?.assignee ?? []))].sort(),
    [cards],
  );
  const failed = error !== null && (stale || error.networkError === undefined);
  return (
    <Page>
      <PageHeading title="Review" label="Review" links={REVIEW_PAGES} />
      {whyNot === null ? null : (
        <Alert severity="info" variant="outlined" sx={{ mb: 1.5 }}>
          Read-only. {whyNot}
        </Alert>
      )}
      <BoardFilters feed={feed} reviewers={reviewers} search={search} />
      {failed ? (
        <Box sx={{ mb: 1.5 }}>
          <ErrorNotice what="Could not load the review board." error={error} retry={() => void refetch()} />
        </Box>
      ) : null}
      {board === null ? (
        failed ? null : (
          <Loading label="Loading review board" shape="columns" />
        )
      ) : (
        <Box aria-busy={stale} sx={{ opacity: stale ? 0.6 : 1 }}>
          <ColumnChoice board={board} column={view.column} choose={(column) => change({ column })} />
          <Box sx={columns}>
            {COLUMNS.map((column) => (
              <BoardColumn
                key={column}
                column={column}
                content={board[column]}
                group={view.group}
                filtered={countFilters(view) > 0}
                selected={selected}
                toggle={toggle}
                toggleAll={toggleAll}
                more={more(column)}
                onPhone={column === view.column}
              />
            ))}
          </Box>
        </Box>
      )}
      <BoardBar
        chosen={chosen}
        outcome={outcome}
        busy={busy}
        onAction={(action) => void runAction(chosen, action)}
        onComment={openForm}
        onClear={clear}
        onDismiss={dismiss}
      />
      {ratingForm === null ? null : (
        <BoardDialog
          {...ratingForm}
          sending={busy}
          onRate={(action) => void runAction(ratingForm.cards, action)}
          onClose={() => setRatingForm(null)}
        />
      )}
    </Page>
  );
}

/** The sessions that the open rating form is about. */
interface RatingForm {
  readonly cards: readonly BoardCardFragment[];
  /** The server's reasons for refusing the rating. */
  readonly refusals: readonly string[];
}

/** Lets the viewer select the only column that a phone shows. */
function ColumnChoice(props: { board: ReviewBoardQuery; column: Column; choose: (column: Column) => void }) {
  return (
    <ToggleButtonGroup
      exclusive
      fullWidth
      size="small"
      aria-label="Column"
      value={props.column}
      onChange={(_event, chosen: Column | null) => chosen !== null && props.choose(chosen)}
      sx={{ display: { md: 'none' }, mb: 1 }}
    >
      {COLUMNS.map((column) => (
        <ToggleButton key={column} value={column} sx={choice}>
          {COLUMN_NAMES[column]}
          <Box component="span" sx={{ fontWeight: 700 }}>
            {props.board[column].totalCount.toLocaleString('en')}
          </Box>
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}

/**
 * Keeps the keyboard focus on the board when an action moves the focused card to another column: the next card of its
 * column gets the focus.
 * @returns a function to call with the cards' ids right before the action
 */
function useFocusAfterMove(board: ReviewBoardQuery | null): (ids: ReadonlySet<string>) => void {
  const next = useRef<readonly string[] | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new board is the reason to move the focus
  useLayoutEffect(() => {
    if (next.current === null || document.activeElement !== document.body) return;
    for (const id of next.current) {
      focusCard(id);
      if (focusedCard() === id) break;
    }
    next.current = null;
  }, [board]);
  return (ids) => {
    const id = focusedCard();
    next.current = id === null ? null : neighboursOf(id).filter((each) => !ids.has(each));
  };
}

const columns = {
  display: 'grid',
  gap: 2,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(4, minmax(0, 1fr))' },
} as const;
const choice = {
  flexDirection: 'column',
  px: 0.5,
  py: 0.5,
  lineHeight: 1.3,
  fontSize: '0.75rem',
  textTransform: 'none',
} as const;
