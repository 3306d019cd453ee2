import { useCallback, useMemo } from 'react';
import { useSearchParams } from '../../lib/router.tsx';
import { useStoredText } from '../../lib/stored.ts';
import { changeView, type ListView } from './list-view.ts';
import {
  paramsForView,
  parseSavedViews,
  SAVED_VIEWS,
  type SavedViews,
  viewFromParams,
} from './saved-views.ts';

export interface ListViewState {
  readonly view: ListView;
  /** Changes the view. `replace` adds no history entry, for example while the viewer types. */
  readonly change: (change: Partial<ListView>, options?: { replace: boolean }) => void;
  readonly saved: SavedViews;
  readonly save: (saved: SavedViews) => void;
}

/** Returns the view in the URL; without parameters, the viewer's default view. */
export function useListView(): ListViewState {
  const [params, setParams] = useSearchParams();
  const [text, write] = useStoredText(SAVED_VIEWS);
  const saved = useMemo(() => parseSavedViews(text), [text]);
  const view = useMemo(() => viewFromParams(params, saved), [params, saved]);
  const change = useCallback(
    (part: Partial<ListView>, { replace } = { replace: false }) =>
      setParams((now) => paramsForView(changeView(viewFromParams(now, saved), part), saved), { replace }),
    [saved, setParams],
  );
  const save = useCallback((next: SavedViews) => write(JSON.stringify(next)), [write]);
  return { view, change, saved, save };
}
