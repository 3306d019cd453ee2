import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Loading } from '../../components/loading.tsx';
import type { SessionRowFragment } from '../../graphql/gen/documents.ts';
import { ActiveRow } from './active-row.tsx';
import { useSelection } from './use-selection.ts';

const SelectionBar = lazy(() => import('./selection-bar.tsx'));

// Rows shown at first, because an alert storm queues hundreds of sessions and the history below must stay reachable.
const INITIAL_COUNT = 20;

interface Props {
  /** `null` until the sessions have been read. */
  readonly rows: readonly SessionRowFragment[] | null;
  /** Number of stages, by chain id. */
  readonly stageCounts: ReadonlyMap<string, number>;
  /** Text that replaces an empty list. */
  readonly emptyText: string;
  /** Notes that replace the reason to wait, by session id. */
  readonly notes?: ReadonlyMap<string, ReactNode>;
}

/** Lists running or queued sessions. */
export function ActiveList({ rows, stageCounts, emptyText, notes }: Props) {
  const [showAll, setShowAll] = useState(false);
  const selection = useSelection(rows);
  if (rows === null) return <Loading label="Loading" height={58} />;
  if (rows.length === 0) {
    return <Box sx={{ fontSize: '0.875rem', color: 'text.secondary' }}>{emptyText}</Box>;
  }
  const shown = showAll ? rows : rows.slice(0, INITIAL_COUNT);
  return (
    <>
      <Paper component="ul" sx={list}>
        {shown.map((session) => (
          <ActiveRow
            key={session.id}
            session={session}
            stageCount={stageCounts.get(session.chainId) ?? null}
            selected={selection.ids.has(session.id)}
            onSelect={selection.toggle}
            note={notes?.get(session.id)}
          />
        ))}
      </Paper>
      {shown.length < rows.length ? (
        <Button sx={{ mt: 1 }} onClick={() => setShowAll(true)}>
          Show all {rows.length}
        </Button>
      ) : null}
      {selection.ids.size === 0 ? null : (
        <Suspense>
          <SelectionBar selection={selection} />
        </Suspense>
      )}
    </>
  );
}

const list = {
  m: 0,
  p: 0,
  listStyle: 'none',
  '& > li + li': { borderTop: 1, borderColor: 'divider' },
} as const;
