import { useCallback, useMemo } from 'react';
import { useSearchParams } from '../../lib/router.tsx';
import { type AlertsView, changeView, formatView, parseView } from './alerts-view.ts';

export interface AlertsViewState {
  readonly view: AlertsView;
  /** Changes the view. `replace` adds no history entry, for example while the viewer types. */
  readonly change: (change: Partial<AlertsView>, options?: { replace: boolean }) => void;
}

/** Returns the view in the URL and a function that changes it. */
export function useAlertsView(): AlertsViewState {
  const [params, setParams] = useSearchParams();
  const view = useMemo(() => parseView(params), [params]);
  const change = useCallback(
    (part: Partial<AlertsView>, { replace } = { replace: false }) =>
      setParams((now) => formatView(changeView(parseView(now), part)), { replace }),
    [setParams],
  );
  return { view, change };
}
