import { useEffect, useRef } from 'react';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { useLocation } from '../../lib/router.tsx';
import { parseTimelineHash } from './page-link.ts';
import type { StageGroup } from './timeline-groups.ts';

export interface HashNavigationOptions {
  readonly groups: readonly StageGroup[];
  /** True once the stored events have been read. */
  readonly ready: boolean;
  readonly goToItem: (item: TimelineItemFragment) => void;
  readonly goToStage: (group: StageGroup) => void;
  /** Removes the filter, which may hide the target. */
  readonly showAll: () => void;
}

/** Scrolls to the item or stage that the URL hash names, as soon as it exists and after each change of the hash. */
export function useHashNavigation(options: HashNavigationOptions): void {
  const { groups, ready, goToItem, goToStage, showAll } = options;
  const { hash, key } = useLocation();
  // The last completed navigation. A target that does not exist yet is looked up again when the timeline
  // changes.
  const completed = useRef<string | null>(null);
  useEffect(() => {
    const visit = `${key}${hash}`;
    const position = parseTimelineHash(hash);
    if (!ready || position === null || completed.current === visit) return;
    showAll();
    if (position.kind === 'stage') {
      const group = groups.find(({ stage }) => stage?.index === position.number);
      if (group === undefined) return;
      goToStage(group);
    } else {
      const items = groups.flatMap((group) => group.executions).flatMap((own) => own.items);
      const item = items.find(({ sequenceNumber }) => sequenceNumber === position.number);
      if (item === undefined) return;
      goToItem(item);
    }
    completed.current = visit;
  }, [hash, key, ready, groups, goToItem, goToStage, showAll]);
}
