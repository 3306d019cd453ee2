import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { useState } from 'react';
import { useSubscription } from 'urql';
import { Page } from '../../components/app-shell.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice, HiddenHeading } from '../../components/notice.tsx';
import { SessionsChangedDocument } from '../../graphql/gen/documents.ts';
import { AlertGroupPageDocument, AlertGroupsChangedDocument } from '../../graphql/gen/lazy-documents.ts';
import { useAfterReconnect } from '../../graphql/live-connection-context.tsx';
import { useLiveQuery } from '../../graphql/use-live-query.ts';
import { Link as RouterLink, useParams } from '../../lib/router.tsx';
import { useDelayedRefetch } from '../../lib/use-delayed-refetch.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { MISSED_CHANGES_MS, usePolling } from '../../lib/use-polling.ts';
import { GroupAlerts } from './group-alerts.tsx';
import { GroupDecisions } from './group-decisions.tsx';
import { GroupHeader } from './group-header.tsx';
import { GroupSessions } from './group-sessions.tsx';

// Delay (ms) before a query, so that the many changes of one delivery cause one query.
const BATCH_MS = 500;

export default function GroupPage() {
  const { id = '' } = useParams();
  // The `key` resets all state when the URL names another group.
  return <Group key={id} id={id} />;
}

function Group({ id }: { id: string }) {
  const [version, setVersion] = useState(0);
  const changed = useDelayedRefetch(() => setVersion((now) => now + 1), BATCH_MS);
  const { data, error, refetch } = useLiveQuery(AlertGroupPageDocument, { id }, version);
  const group = data?.alertGroup ?? null;
  useSubscription({ query: AlertGroupsChangedDocument }, (_before, event) => {
    // Before the first answer, the page does not know the group's global id, so any change may concern the
    // group.
    if (data === undefined || event.alertGroupsChanged.group.id === group?.id) changed();
    return event;
  });
  useSubscription({ query: SessionsChangedDocument }, (_before, event) => {
    if (group?.sessions.some((session) => session.id === event.sessionsChanged.session.id)) changed();
    return event;
  });
  useAfterReconnect(changed);
  usePolling(changed, MISSED_CHANGES_MS);
  useDocumentTitle(
    group === null ? 'Alerts' : `${group.state === 'FIRING' ? 'Firing' : 'Resolved'}: ${group.title}`,
  );
  if (group === null)
    return (
      <Page>
        {data === undefined ? <HiddenHeading>Alert group</HiddenHeading> : null}
        {error !== undefined && data === undefined ? (
          <ErrorNotice what="Could not load the alert group." error={error} retry={refetch} />
        ) : data === undefined ? (
          <Loading label="Loading alert group" shape="article" />
        ) : (
          <EmptyNotice isPage title="Alert group not found">
            The group may have been deleted, or the link is incomplete.{' '}
            <Link component={RouterLink} to="/alerts">
              Go to alerts
            </Link>
          </EmptyNotice>
        )}
      </Page>
    );
  return (
    <Page>
      <GroupHeader group={group} changed={changed} />
      <Box sx={columns}>
        <Box sx={{ minWidth: 0, gridColumn: { lg: 1 } }}>
          <GroupSessions sessions={group.sessions} />
        </Box>
        <Box sx={{ minWidth: 0, gridColumn: { lg: 2 }, gridRow: { lg: '1 / 3' } }}>
          <GroupDecisions id={id} version={version} />
        </Box>
        <Box sx={{ minWidth: 0, gridColumn: { lg: 1 } }}>
          <GroupAlerts id={id} version={version} />
        </Box>
      </Box>
    </Page>
  );
}

const columns = {
  display: 'grid',
  columnGap: 3,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 440px' },
  gridTemplateRows: { lg: 'auto 1fr' },
} as const;
