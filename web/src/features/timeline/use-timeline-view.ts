import { useCallback, useMemo, useState } from 'react';
import type { StageGroup } from './timeline-groups.ts';
import { type TimelineRow, type TimelineView, timelineRows, viewShowing, without } from './timeline-rows.ts';

/** The visible rows and the actions that change the view. */
export interface TimelineChoice {
  readonly rows: readonly TimelineRow[];
  readonly toggleStage: (key: string) => void;
  /** Collapses all stages, or expands them if all are collapsed. */
  readonly toggleAll: () => void;
  readonly allClosed: boolean;
  readonly chooseAgent: (stageKey: string, agentKey: string) => void;
  /** Expands the stage and selects the agent of this item. */
  readonly show: (itemId: string) => void;
}

const everything: TimelineView = { closed: new Set(), agents: new Map() };

export function useTimelineView(groups: readonly StageGroup[], shown: readonly string[]): TimelineChoice {
  const [view, setView] = useState(everything);
  const rows = useMemo(() => timelineRows(groups, view, shown), [groups, view, shown]);
  const allClosed = groups.length > 0 && groups.every(({ key }) => view.closed.has(key));
  const toggleStage = useCallback((key: string) => {
    setView((now) => ({
      ...now,
      closed: now.closed.has(key) ? without(now.closed, key) : new Set(now.closed).add(key),
    }));
  }, []);
  const toggleAll = useCallback(() => {
    const keys = allClosed ? [] : groups.map(({ key }) => key);
    setView((now) => ({ ...now, closed: new Set(keys) }));
  }, [allClosed, groups]);
  const chooseAgent = useCallback((stageKey: string, agentKey: string) => {
    setView((now) => ({ ...now, agents: new Map(now.agents).set(stageKey, agentKey) }));
  }, []);
  const show = useCallback((itemId: string) => setView((now) => viewShowing(now, groups, itemId)), [groups]);
  return { rows, toggleStage, toggleAll, allClosed, chooseAgent, show };
}
