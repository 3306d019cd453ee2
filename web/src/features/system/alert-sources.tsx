import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { useCallback } from 'react';
import { useQuery } from 'urql';
import { CopyButton } from '../../components/copy-button.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { Ago } from '../../components/time.tsx';
import { AlertSourcesDocument, type AlertSourcesQuery } from '../../graphql/gen/documents.ts';
import { useAfterReconnect } from '../../graphql/socket-context.tsx';
import { usePolling } from '../../lib/use-polling.ts';
import { mono } from '../../theme.ts';

type Source = AlertSourcesQuery['alertSources'][number];

const READ_EVERY_MS = 15_000;

/** The monitoring systems that may send, and what came of each within a week. */
export function AlertSources() {
  const [{ data, error }, reread] = useQuery({
    query: AlertSourcesDocument,
    requestPolicy: 'cache-and-network',
  });
  const read = useCallback(() => reread({ requestPolicy: 'network-only' }), [reread]);
  usePolling(read, READ_EVERY_MS);
  useAfterReconnect(read);
  const sources = data?.alertSources;
  if (error !== undefined && sources === undefined)
    return <ErrorNotice what="The sources could not be read." error={error} retry={read} />;
  if (sources === undefined) return <Loading label="Loading the sources" height={80} />;
  if (sources.length === 0)
    return (
      <Paper>
        <EmptyNotice title="No monitoring system may send">
          Name sources under <code>intake.sources</code> in tarsy.yaml; docs/intake.md has each sender’s
          settings.
        </EmptyNotice>
      </Paper>
    );
  return (
    <Paper component="ul" sx={list}>
      {sources.map((source) => (
        <SourceItem key={source.name} source={source} />
      ))}
    </Paper>
  );
}

function SourceItem({ source }: { source: Source }) {
  const { name, type, path, verification, lastReceivedAt, received, rejected } = source;
  const address = `${window.location.origin}${path}`;
  return (
    <Box component="li" sx={line}>
      <Box component="span" sx={{ fontWeight: 650, overflowWrap: 'anywhere' }}>
        {name}
      </Box>
      <Box component="span" sx={quiet}>
        {type}, {PROOFS[verification] ?? verification.toLowerCase()}
      </Box>
      <Box component="span" sx={{ fontFamily: mono, fontSize: '0.75rem', overflowWrap: 'anywhere' }}>
        {address}
      </Box>
      <CopyButton text={() => address} label={`Copy the address of ${name}`} />
      <Box component="span" sx={[quiet, { ml: { sm: 'auto' } }]}>
        {received} taken{rejected === 0 ? '' : `, ${rejected} refused`}
        {lastReceivedAt === null ? ', none within a week' : ', last '}
        {lastReceivedAt === null ? null : <Ago time={lastReceivedAt} />}
      </Box>
    </Box>
  );
}

const PROOFS: Readonly<Record<string, string>> = {
  SIGNATURE: 'signed',
  BASIC: 'user and password',
  TOKEN: 'token',
  NONE: 'no proof asked for',
};

const list = {
  m: 0,
  p: 0,
  listStyle: 'none',
  '& > li + li': { borderTop: 1, borderColor: 'divider' },
} as const;
const line = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1.5,
  px: 1.5,
  py: 1,
  fontSize: '0.875rem',
} as const;
const quiet = { color: 'text.secondary', fontSize: '0.8125rem' } as const;
