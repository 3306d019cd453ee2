import { useEffect, useRef } from 'react';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { useLocation } from '../../lib/router.tsx';
import { placeOf } from './page-link.ts';
import type { StageGroup } from './timeline-groups.ts';

/** Scrolls to the item or stage that the URL hash names: once it exists, and again whenever the hash changes. */
export function usePlaceOfHash(
  groups: readonly StageGroup[],
  ready: boolean,
  goToItem: (item: TimelineItemFragment) => void,
  goToStage: (group: StageGroup) => void,
  /** Removes the filter, which may hide the target. */
  showAll: () => void,
): void {
  const { hash, key } = useLocation();
  // The last navigation that was completed. A target that does not exist yet is reached when it appears.
  const done = useRef<string | null>(null);
  useEffect(() => {
    const visit = `${key}${hash}`;
    const place = placeOf(hash);
    if (!ready || place === null || done.current === visit) return;
    showAll();
    if (place.kind === 'stage') {
      const group = groups.find(({ stage }) => stage?.index === place.number);
      if (group === undefined) return;
      goToStage(group);
    } else {
      const items = groups.flatMap((group) => group.executions).flatMap((own) => own.items);
      const item = items.find(({ sequenceNumber }) => sequenceNumber === place.number);
      if (item === undefined) return;
      goToItem(item);
    }
    done.current = visit;
  }, [hash, key, ready, groups, goToItem, goToStage, showAll]);
}
