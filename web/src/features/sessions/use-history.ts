import { useCallback } from 'react';
import type { CombinedError } from 'urql';
import { useFirstReads } from '../../graphql/first-reads.ts';
import { SessionHistoryDocument, type SessionHistoryQuery } from '../../graphql/gen/documents.ts';
import { useReading } from '../../graphql/use-reading.ts';
import { useRereadSoon } from '../../lib/use-reread-soon.ts';
import { formatView, type ListView, viewVariables } from './list-view.ts';

// Sessions that end in one burst, such as all of a cancelled queue, are one reading.
const GATHER_MS = 1_000;

export interface HistoryFeed {
  /** The last page that was read, which may still be that of the view before. */
  readonly page: SessionHistoryQuery['sessions'] | null;
  /** What it was read for. */
  readonly shown: ListView | null;
  readonly error: CombinedError | null;
  /** What is shown is not yet what was asked for. */
  readonly stale: boolean;
  readonly reread: () => void;
  /** Reads again soon, once for many calls. */
  readonly rereadSoon: () => void;
}

/** One page of finished sessions. */
export function useHistory(view: ListView): HistoryFeed {
  const first = useFirstReads();
  const taken = useCallback((of: ListView) => first.take('history', formatView(of).toString()), [first]);
  const { data, shown, error, reread } = useReading(SessionHistoryDocument, view, variablesNow, taken);
  const rereadSoon = useRereadSoon(reread, GATHER_MS);
  return { page: data?.sessions ?? null, shown, error, stale: shown !== view, reread, rereadSoon };
}

const variablesNow = (view: ListView) => viewVariables(view, Date.now());
