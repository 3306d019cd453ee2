import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { type ReactNode, useCallback } from 'react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { Page } from '../../components/app-shell.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { ActiveSessionsDocument } from '../../graphql/gen/documents.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { visuallyHidden } from '../../lib/visually-hidden.ts';
import { ActiveRow } from './active-row.tsx';
import { HistoryTable } from './history-table.tsx';
import { useChanges } from './use-changes.ts';
import { useHistory } from './use-history.ts';

/** What runs, what waits, and what has been. */
export function SessionsPage() {
  useDocumentTitle('Sessions');
  const [{ data, error }, refetch] = useQuery({
    query: ActiveSessionsDocument,
    requestPolicy: 'cache-and-network',
  });
  const past = useHistory();
  const refreshPast = past.refresh;
  const refresh = useCallback(() => {
    refetch({ requestPolicy: 'network-only' });
    refreshPast();
  }, [refetch, refreshPast]);
  useChanges(refresh);

  const active = data?.activeSessions.active ?? [];
  const queued = data?.activeSessions.queued ?? [];
  const nothingEver = data !== undefined && active.length + queued.length + (past.history?.total ?? 1) === 0;
  return (
    <Page>
      <Typography variant="h1" sx={visuallyHidden}>
        Sessions
      </Typography>
      <Section title="Running" count={data && active.length}>
        {error ? (
          <ErrorNotice what="The running sessions could not be read." error={error} retry={refresh} />
        ) : null}
        {/* While nothing is known, "nothing is running" would be a guess. */}
        {data === undefined && error ? null : (
          <List rows={active} loading={data === undefined} none="Nothing is running." />
        )}
      </Section>
      {queued.length > 0 ? (
        <Section title="Queued" count={queued.length}>
          <List rows={queued} loading={false} none="" />
        </Section>
      ) : null}
      <Section title="History" count={past.history?.total}>
        {past.error ? (
          <ErrorNotice what="The history could not be read." error={past.error} retry={refresh} />
        ) : null}
        {nothingEver ? <FirstSteps /> : <HistoryTable feed={past} />}
      </Section>
    </Page>
  );
}

function Section(props: { title: string; count: number | undefined; children: ReactNode }) {
  const id = `section-${props.title.toLowerCase()}`;
  return (
    <Box component="section" aria-labelledby={id} sx={{ mb: 3.5 }}>
      <Typography id={id} variant="h2" sx={{ mb: 1 }}>
        {props.title}
        <Box component="span" sx={{ ml: 1, color: 'text.secondary', fontWeight: 500 }}>
          {props.count ?? ''}
        </Box>
      </Typography>
      {props.children}
    </Box>
  );
}

type Row = Parameters<typeof ActiveRow>[0]['session'];

function List({ rows, loading, none }: { rows: readonly Row[]; loading: boolean; none: string }) {
  if (loading) return <Skeleton variant="rounded" height={58} aria-label="Loading" />;
  if (rows.length === 0) {
    return <Box sx={{ fontSize: '0.875rem', color: 'text.secondary' }}>{none}</Box>;
  }
  return (
    <Paper
      component="ul"
      sx={{ m: 0, p: 0, listStyle: 'none', '& > li + li': { borderTop: 1, borderColor: 'divider' } }}
    >
      {rows.map((session) => (
        <ActiveRow key={session.id} session={session} />
      ))}
    </Paper>
  );
}

function FirstSteps() {
  return (
    <Paper>
      <EmptyNotice title="No alert has been investigated yet">
        <Box sx={{ mb: 2 }}>Submit one here, or send it to the API: the investigation shows up at once.</Box>
        <Button component={Link} to="/submit" variant="outlined">
          Submit the first alert
        </Button>
      </EmptyNotice>
    </Paper>
  );
}
