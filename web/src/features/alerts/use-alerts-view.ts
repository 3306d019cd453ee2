import { useCallback, useMemo } from 'react';
import { useSearchParams } from '../../lib/router.tsx';
import { type AlertsView, changeView, formatView, parseView } from './alerts-view.ts';

export interface AlertsViewState {
  readonly view: AlertsView;
  /** `replace`: the browser's back button does not lead to the view before, as while somebody types. */
  readonly change: (change: Partial<AlertsView>, options?: { replace: boolean }) => void;
}

/** The view that the address names. */
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
