import { useCallback, useEffect, useRef, useState } from 'react';
import { type CombinedError, type OperationResult, useClient, useSubscription } from 'urql';
import { useFirstReads } from '../../graphql/first-reads.ts';
import {
  ActiveSessionsDocument,
  type ActiveSessionsQuery,
  type SessionChangeFragment,
  type SessionRowFragment,
  SessionRowsDocument,
  SessionsChangedDocument,
} from '../../graphql/gen/documents.ts';
import { useIsInTouch } from '../../graphql/socket-context.tsx';
import { isFinished } from '../../lib/status.ts';
import { createTurns } from '../../lib/turns.ts';
import { addRows, foldChange, hasLost, listsOf, needsRefill, type SessionLists } from './session-lists.ts';

// Alerts come in groups: one query for a group (ms).
const GATHER_MS = 100;
// Maximum number of ids per query of the API.
const MAX_IDS = 100;

export interface SessionListsFeed {
  readonly lists: SessionLists | null;
  readonly error: CombinedError | null;
  readonly reread: () => void;
}

/**
 * Reads the running and queued sessions when the page opens and after each reconnect, and keeps them current with the
 * server's events. `onEnd` is called for each session that has ended.
 */
export function useSessionLists(onEnd: () => void): SessionListsFeed {
  const client = useClient();
  const [lists, setLists] = useState<SessionLists | null>(null);
  const [error, setError] = useState<CombinedError | null>(null);
  const during = useDuringReads();
  useSubscription({ query: SessionsChangedDocument }, (_before, data) => {
    const change = data.sessionsChanged.session;
    during.note(change);
    setLists((now) => (now === null ? null : foldChange(now, change)));
    if (isFinished(change.status)) onEnd();
    return data;
  });

  const listed = useRef<SessionLists | null>(null);
  listed.current = lists;
  const show = useCallback(
    async (answer: Promise<OperationResult<ActiveSessionsQuery>>): Promise<void> => {
      const missed = during.begin();
      const result = await answer;
      during.end();
      setError(result.error ?? null);
      const read = result.data?.activeSessions;
      if (!read) return;
      const next = missed.reduce(foldChange, listsOf(read.active, read.queued));
      if (hasLost(listed.current, next)) onEnd();
      setLists(next);
    },
    [during, onEnd],
  );
  const [turns] = useState(createTurns);
  const begin = useCallback(
    (answer: Promise<OperationResult<ActiveSessionsQuery>>) => void turns.now(() => show(answer)),
    [turns, show],
  );
  const reread = useCallback(
    () =>
      turns.after(() =>
        show(client.query(ActiveSessionsDocument, {}, { requestPolicy: 'network-only' }).toPromise()),
      ),
    [turns, client, show],
  );

  const unknown = lists?.unknown ?? NONE;
  useEffect(() => {
    if (unknown.length === 0) return;
    const asked = unknown.slice(0, MAX_IDS);
    const timer = setTimeout(async () => {
      const missed = during.begin();
      const result = await client
        .query(SessionRowsDocument, { ids: asked }, { requestPolicy: 'network-only' })
        .toPromise();
      during.end();
      const rows = (result.data?.nodes ?? []).filter(isRow);
      setLists((now) => now && missed.reduce(foldChange, addRows(now, asked, rows)));
    }, GATHER_MS);
    return () => clearTimeout(timer);
  }, [client, unknown, during]);

  const refill = lists !== null && needsRefill(lists);
  useEffect(() => {
    if (refill) void reread();
  }, [refill, reread]);

  useReadings(reread, begin);
  return { lists, error, reread: () => void reread() };
}

const NONE: readonly string[] = [];

const isRow = (node: unknown): node is SessionRowFragment =>
  typeof node === 'object' && node !== null && 'alertPreview' in node;

/**
 * Reads at once, and again after a reconnect or sign-in, because events were missed meanwhile. The answer to the
 * query that was sent before the first render is shown first; it is older than the events from now on.
 */
function useReadings(
  read: () => Promise<void>,
  begin: (answer: Promise<OperationResult<ActiveSessionsQuery>>) => void,
): void {
  const isInTouch = useIsInTouch();
  const first = useFirstReads();
  useEffect(() => {
    const asked = first.take('active', '');
    if (asked !== null) begin(asked);
    if (asked === null || isInTouch) void read();
  }, [first, begin, read, isInTouch]);
}

/** Records the changes that arrive during a query. The query's answer may be older, so the changes are applied to it again. */
interface DuringReads {
  readonly begin: () => readonly SessionChangeFragment[];
  readonly note: (change: SessionChangeFragment) => void;
  readonly end: () => void;
}

function useDuringReads(): DuringReads {
  const reads = useRef<DuringReads | null>(null);
  reads.current ??= createDuringReads();
  return reads.current;
}

function createDuringReads(): DuringReads {
  let open = 0;
  let changes: SessionChangeFragment[] = [];
  return {
    begin: () => {
      open += 1;
      return changes;
    },
    note: (change) => {
      if (open > 0) changes.push(change);
    },
    end: () => {
      open -= 1;
      // A new array, because the callers of `begin` still use the old one.
      if (open === 0) changes = [];
    },
  };
}
