import { useCallback, useMemo, useState } from 'react';
import type { SessionRowFragment } from '../../graphql/gen/documents.ts';
import { isCancellable } from '../../lib/status.ts';

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Ids of all rows that can be selected. */
  readonly all: readonly string[];
  readonly toggle: (id: string) => void;
  readonly select: (ids: readonly string[]) => void;
}

/** Keeps the selected sessions of a list. Sessions that leave the list, or can no longer be cancelled, leave the selection. */
export function useSelection(rows: readonly SessionRowFragment[] | null): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(NONE);
  const all = useMemo(
    () => (rows ?? []).filter(({ status }) => isCancellable(status)).map(({ id }) => id),
    [rows],
  );
  const ids = useMemo(() => new Set(all.filter((id) => chosen.has(id))), [all, chosen]);
  const toggle = useCallback(
    (id: string) =>
      setChosen((before) => {
        const after = new Set(before);
        if (!after.delete(id)) after.add(id);
        return after;
      }),
    [],
  );
  const select = useCallback((chosenIds: readonly string[]) => setChosen(new Set(chosenIds)), []);
  return { ids, all, toggle, select };
}

const NONE: ReadonlySet<string> = new Set();
