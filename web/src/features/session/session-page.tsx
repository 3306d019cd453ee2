import Link from '@mui/material/Link';
import { useCallback, useEffect, useState } from 'react';
import { useSubscription } from 'urql';
import { Page } from '../../components/app-shell.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice, HiddenHeading } from '../../components/notice.tsx';
import { useSystemStateChanged } from '../../components/use-system-state.ts';
import { SessionPageDocument } from '../../graphql/gen/documents.ts';
import { AlertGroupsChangedDocument } from '../../graphql/gen/lazy-documents.ts';
import { useAfterReconnect } from '../../graphql/live-connection-context.tsx';
import { useQuery } from '../../graphql/use-query.ts';
import { createOpenState, OpenStateProvider } from '../../lib/open-state.ts';
import { Link as RouterLink, useParams } from '../../lib/router.tsx';
import { isFinished } from '../../lib/status.ts';
import { useDelayedRefetch } from '../../lib/use-delayed-refetch.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { TimelineStoreProvider } from '../timeline/timeline-store.ts';
import { useSessionStream } from '../timeline/use-session-stream.ts';
import { SessionView } from './session-view.tsx';

// Delay (ms) that collects a burst of stage and status changes into one query.
const REREAD_AFTER_MS = 300;
// Interval (ms) of reading a waiting session, because its reason and position may change without an event.
const WAIT_EVERY_MS = 10_000;

export default function SessionPage() {
  const { id = '' } = useParams();
  // The `key` gives each session its own timeline, expanded entries and draft.
  return <Session key={id} id={id} />;
}

function Session({ id }: { id: string }) {
  const [{ data, error }, refetch] = useQuery({
    query: SessionPageDocument,
    variables: { id },
    requestPolicy: 'cache-and-network',
  });
  const [memory] = useState(createOpenState);
  const stream = useSessionStream(id);
  const { stages, executions, session: live, caughtUp } = stream.state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of status, stages or agents is the reason to query again
  useEffect(() => {
    if (!caughtUp) return;
    const timer = setTimeout(() => refetch({ requestPolicy: 'network-only' }), REREAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [caughtUp, live, stages, executions, refetch]);

  const stored = data?.session ?? null;
  const group = stored?.group?.id ?? null;
  const rereadSoon = useDelayedRefetch(() => refetch({ requestPolicy: 'network-only' }), REREAD_AFTER_MS);
  // The session's event stream does not report every change of its alerts.
  useSubscription({ query: AlertGroupsChangedDocument, pause: group === null }, (_before, changed) => {
    if (changed.alertGroupsChanged.group.id === group) rereadSoon();
    return changed;
  });
  useAfterReconnect(rereadSoon);
  const isWaiting = stored !== null && stored.waitingFor !== null;
  // Some waits begin and end without an event of the session, such as the wait for a lost worker.
  useSystemStateChanged(() => {
    if (stored !== null && !isFinished(stored.status)) rereadSoon();
  });
  usePolling(
    useCallback(() => {
      if (isWaiting) refetch({ requestPolicy: 'network-only' });
    }, [isWaiting, refetch]),
    WAIT_EVERY_MS,
  );
  if (stored !== null) {
    return (
      <OpenStateProvider value={memory}>
        <TimelineStoreProvider value={stream.store}>
          <SessionView stored={stored} stream={stream} />
        </TimelineStoreProvider>
      </OpenStateProvider>
    );
  }
  return (
    <Page>
      <Title text="Session" />
      {error || data === undefined ? <HiddenHeading>Session</HiddenHeading> : null}
      {error ? (
        <ErrorNotice
          what="Could not load this session."
          error={error}
          retry={() => refetch({ requestPolicy: 'network-only' })}
        />
      ) : data === undefined ? (
        <Loading label="Loading session" shape="article" />
      ) : (
        <NotFound />
      )}
    </Page>
  );
}

function Title({ text }: { text: string }) {
  useDocumentTitle(text);
  return null;
}

function NotFound() {
  return (
    <EmptyNotice isPage title="Session not found">
      The session may have been deleted, or the link is incomplete.{' '}
      <Link component={RouterLink} to="/">
        Go to sessions
      </Link>
    </EmptyNotice>
  );
}
