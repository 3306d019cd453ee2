import { useCallback, useEffect, useMemo } from 'react';
import { useSearchParams } from '../../lib/router.tsx';
import { readStored, writeStored } from '../../lib/stored.ts';
import { changeView, formatView, type ListView, parseView } from './list-view.ts';

const KEY = 'sessions';

export interface ListViewState {
  readonly view: ListView;
  /** `replace`: the browser's back button does not lead to the view before, as while somebody types. */
  readonly change: (change: Partial<ListView>, options?: { replace: boolean }) => void;
}

/** The view that the address names; an address that names none takes up the last one of this browser. */
export function useListView(): ListViewState {
  const [given, setParams] = useSearchParams();
  const isPlain = given.size === 0;
  // What is remembered counts when one arrives.
  const params = useMemo(() => paramsAt(given), [given]);
  const view = useMemo(() => parseView(params), [params]);
  useEffect(() => {
    if (isPlain && params.size > 0) setParams(params, { replace: true });
    // A place in the list is of no use tomorrow; the rest is how this reader works.
    else remember(view);
  }, [isPlain, params, setParams, view]);
  const change = useCallback(
    (part: Partial<ListView>, { replace } = { replace: false }) => {
      const next = changeView(view, part);
      // Before the address changes: a plain one would bring back what is remembered.
      remember(next);
      setParams(formatView(next), { replace });
    },
    [view, setParams],
  );
  return { view, change };
}

/** The view that a page opens with at an address with these parameters. */
export function viewAt(given: URLSearchParams): ListView {
  return parseView(paramsAt(given));
}

function paramsAt(given: URLSearchParams): URLSearchParams {
  return given.size === 0 ? new URLSearchParams(readStored(KEY) ?? '') : given;
}

function remember(view: ListView): void {
  const text = formatView(changeView(view, {})).toString();
  if (text !== (readStored(KEY) ?? '')) writeStored(KEY, text === '' ? null : text);
}
