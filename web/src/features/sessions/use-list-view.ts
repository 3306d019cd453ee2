import { useCallback, useMemo } from 'react';
import { useSearchParams } from '../../lib/router.tsx';
import { useStoredText } from '../../lib/stored.ts';
import { changeView, type ListView } from './list-view.ts';
import { addressOf, parseSavedViews, SAVED_VIEWS, type SavedViews, viewAt } from './saved-views.ts';

export interface ListViewState {
  readonly view: ListView;
  /** `replace`: the browser's back button does not lead to the view before, as while somebody types. */
  readonly change: (change: Partial<ListView>, options?: { replace: boolean }) => void;
  readonly saved: SavedViews;
  readonly save: (saved: SavedViews) => void;
}

/** The view that the address names; one that names none is the reader's usual view. */
export function useListView(): ListViewState {
  const [params, setParams] = useSearchParams();
  const [text, write] = useStoredText(SAVED_VIEWS);
  const saved = useMemo(() => parseSavedViews(text), [text]);
  const view = useMemo(() => viewAt(params, saved), [params, saved]);
  const change = useCallback(
    (part: Partial<ListView>, { replace } = { replace: false }) =>
      setParams((now) => addressOf(changeView(viewAt(now, saved), part), saved), { replace }),
    [saved, setParams],
  );
  const save = useCallback((next: SavedViews) => write(JSON.stringify(next)), [write]);
  return { view, change, saved, save };
}
