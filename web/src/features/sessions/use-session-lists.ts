import { useCallback, useEffect, useRef, useState } from 'react';
import { type CombinedError, type OperationResult, useClient, useSubscription } from 'urql';
import {
  ActiveSessionsDocument,
  type ActiveSessionsQuery,
  type SessionChangeFragment,
  type SessionRowFragment,
  SessionRowsDocument,
  SessionsChangedDocument,
} from '../../graphql/gen/documents.ts';
import { useLiveTransport } from '../../graphql/live-connection-context.tsx';
import { usePrefetchedQueries } from '../../graphql/prefetched-queries.ts';
import { createRefetchQueue } from '../../lib/refetch-queue.ts';
import { isFinished } from '../../lib/status.ts';
import { usePolling } from '../../lib/use-polling.ts';
import {
  addRows,
  applyChange,
  createLists,
  hasMissingSessions,
  needsRefill,
  type SessionLists,
} from './session-lists.ts';

// Delay (ms) that collects the sessions of several alerts into one query.
const BATCH_MS = 100;
// Interval (ms) of reading the lists, because reasons and positions change without an event, and because changes before
// the server starts the subscription send none.
const READ_EVERY_MS = 10_000;
// Maximum number of ids per query of the API.
const MAX_IDS = 100;

export interface SessionListsFeed {
  readonly lists: SessionLists | null;
  readonly error: CombinedError | null;
  readonly refetch: () => void;
}

/**
 * Reads the running and queued sessions when the page opens and after each reconnect, and keeps them current with the
 * server's events. `onEnd` is called for each session that has ended.
 */
export function useSessionLists(onEnd: () => void): SessionListsFeed {
  const client = useClient();
  const [lists, setLists] = useState<SessionLists | null>(null);
  const [error, setError] = useState<CombinedError | null>(null);
  const recorder = useChangeRecorder();
  useSubscription({ query: SessionsChangedDocument }, (_before, data) => {
    const change = data.sessionsChanged.session;
    recorder.record(change);
    setLists((now) => (now === null ? null : applyChange(now, change)));
    if (isFinished(change.status)) onEnd();
    return data;
  });

  const currentLists = useRef<SessionLists | null>(null);
  currentLists.current = lists;
  const applyAnswer = useCallback(
    async (answer: Promise<OperationResult<ActiveSessionsQuery>>): Promise<void> => {
      const changes = recorder.begin();
      const result = await answer;
      recorder.end();
      setError(result.error ?? null);
      const read = result.data?.activeSessions;
      if (!read) return;
      const next = changes.reduce(applyChange, createLists(read.active, read.queued));
      if (hasMissingSessions(currentLists.current, next)) onEnd();
      setLists(next);
    },
    [recorder, onEnd],
  );
  const [queue] = useState(createRefetchQueue);
  const applyFirstRead = useCallback(
    (answer: Promise<OperationResult<ActiveSessionsQuery>>) => void queue.runNow(() => applyAnswer(answer)),
    [queue, applyAnswer],
  );
  const refetch = useCallback(
    () =>
      queue.runNext(() =>
        applyAnswer(client.query(ActiveSessionsDocument, {}, { requestPolicy: 'network-only' }).toPromise()),
      ),
    [queue, client, applyAnswer],
  );

  const unknown = lists?.unknown ?? NO_IDS;
  useEffect(() => {
    if (unknown.length === 0) return;
    const asked = unknown.slice(0, MAX_IDS);
    const timer = setTimeout(async () => {
      const changes = recorder.begin();
      const result = await client
        .query(SessionRowsDocument, { ids: asked }, { requestPolicy: 'network-only' })
        .toPromise();
      recorder.end();
      const rows = (result.data?.nodes ?? []).filter(isRow);
      setLists((now) => now && changes.reduce(applyChange, addRows(now, asked, rows)));
    }, BATCH_MS);
    return () => clearTimeout(timer);
  }, [client, unknown, recorder]);

  const refill = lists !== null && needsRefill(lists);
  useEffect(() => {
    if (refill) void refetch();
  }, [refill, refetch]);

  usePolling(refetch, READ_EVERY_MS);
  useReadOnConnect(refetch, applyFirstRead);
  return { lists, error, refetch: () => void refetch() };
}

const NO_IDS: readonly string[] = [];

const isRow = (node: unknown): node is SessionRowFragment =>
  typeof node === 'object' && node !== null && 'alertPreview' in node;

/**
 * Reads the lists at the start, and again after a reconnect, change of transport or sign-in, because the page
 * missed events meanwhile. The first answer may come from a query sent before the first render, so events that arrived
 * since are applied to it.
 */
function useReadOnConnect(
  read: () => Promise<void>,
  applyFirstRead: (answer: Promise<OperationResult<ActiveSessionsQuery>>) => void,
): void {
  const transport = useLiveTransport();
  const prefetched = usePrefetchedQueries();
  useEffect(() => {
    const asked = prefetched.take('active', '');
    if (asked !== null) applyFirstRead(asked);
    if (asked === null || transport !== null) void read();
  }, [prefetched, applyFirstRead, read, transport]);
}

/** Records the changes that arrive while a query runs; they are applied to its answer, which may be older. */
interface ChangeRecorder {
  readonly begin: () => readonly SessionChangeFragment[];
  readonly record: (change: SessionChangeFragment) => void;
  readonly end: () => void;
}

function useChangeRecorder(): ChangeRecorder {
  const reads = useRef<ChangeRecorder | null>(null);
  reads.current ??= createChangeRecorder();
  return reads.current;
}

function createChangeRecorder(): ChangeRecorder {
  let open = 0;
  let changes: SessionChangeFragment[] = [];
  return {
    begin: () => {
      open += 1;
      return changes;
    },
    record: (change) => {
      if (open > 0) changes.push(change);
    },
    end: () => {
      open -= 1;
      // `changes` becomes a new array, because the callers of `begin` still use the old one.
      if (open === 0) changes = [];
    },
  };
}
