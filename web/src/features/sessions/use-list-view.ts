import { useCallback, useMemo } from 'react';
import { useSearchParams } from '../../lib/router.tsx';
import { changeView, formatView, type ListView, parseView } from './list-view.ts';

export interface ListViewState {
  readonly view: ListView;
  /** `replace`: the browser's back button does not lead to the view before, as while somebody types. */
  readonly change: (change: Partial<ListView>, options?: { replace: boolean }) => void;
}

/** The view that the address names; one that names none is the usual view. */
export function useListView(): ListViewState {
  const [params, setParams] = useSearchParams();
  const view = useMemo(() => parseView(params), [params]);
  const change = useCallback(
    (part: Partial<ListView>, { replace } = { replace: false }) =>
      setParams(formatView(changeView(view, part)), { replace }),
    [view, setParams],
  );
  return { view, change };
}
