import { useCallback, useMemo, useState } from 'react';
import type { StageGroup } from './timeline-groups.ts';
import {
  type TimelineRow,
  type TimelineView,
  timelineRows,
  viewRevealing,
  withoutValue,
} from './timeline-rows.ts';

/** The visible rows and the actions that change the view. */
export interface TimelineViewState {
  readonly rows: readonly TimelineRow[];
  readonly toggleStage: (key: string) => void;
  /** Collapses all stages, or expands them if all are collapsed. */
  readonly toggleAllStages: () => void;
  readonly allCollapsed: boolean;
  readonly selectAgent: (stageKey: string, agentKey: string) => void;
  /** Expands the stage of this item and selects its agent. */
  readonly revealItem: (itemId: string) => void;
}

const everything: TimelineView = { collapsed: new Set(), selectedAgents: new Map() };

export function useTimelineView(
  groups: readonly StageGroup[],
  shownElsewhere: readonly string[],
): TimelineViewState {
  const [view, setView] = useState(everything);
  const rows = useMemo(() => timelineRows(groups, view, shownElsewhere), [groups, view, shownElsewhere]);
  const allCollapsed = groups.length > 0 && groups.every(({ key }) => view.collapsed.has(key));
  const toggleStage = useCallback((key: string) => {
    setView((current) => ({
      ...current,
      collapsed: current.collapsed.has(key)
        ? withoutValue(current.collapsed, key)
        : new Set(current.collapsed).add(key),
    }));
  }, []);
  const toggleAllStages = useCallback(() => {
    const keys = allCollapsed ? [] : groups.map(({ key }) => key);
    setView((current) => ({ ...current, collapsed: new Set(keys) }));
  }, [allCollapsed, groups]);
  const selectAgent = useCallback((stageKey: string, agentKey: string) => {
    setView((current) => ({
      ...current,
      selectedAgents: new Map(current.selectedAgents).set(stageKey, agentKey),
    }));
  }, []);
  const revealItem = useCallback(
    (itemId: string) => setView((current) => viewRevealing(current, groups, itemId)),
    [groups],
  );
  return { rows, toggleStage, toggleAllStages, allCollapsed, selectAgent, revealItem };
}
