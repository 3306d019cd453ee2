import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { lazy, Suspense, useState } from 'react';
import { ChoiceField } from '../../components/choice-field.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { dividedList } from '../../components/divided-list.ts';
import { AlertIcon } from '../../components/icons.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { Ago } from '../../components/time.tsx';
import type { AlertSourcesQuery } from '../../graphql/gen/documents.ts';
import { AlertSourcesDocument } from '../../graphql/gen/lazy-documents.ts';
import { usePolledQuery } from '../../graphql/use-polled-query.ts';
import { OWN_CANARY } from '../../lib/own-canary.ts';
import { SUB_PATH } from '../../lib/sub-path.ts';
import { mono } from '../../theme.ts';
import { senders } from './gen/senders.ts';
import { SignOfLife } from './sign-of-life.tsx';

// Loaded on demand, because it needs the Markdown parser.
const SenderGuide = lazy(() => import('./sender-guide.tsx'));
const CHOICES = Object.entries(senders).map(([value, { title }]) => ({ value, name: title }));

type Source = AlertSourcesQuery['alertSources'][number];

const READ_EVERY_MS = 15_000;

/** Lists the configured alert sources and counts their deliveries in the last week. */
export function AlertSources() {
  const { data, error, refetch } = usePolledQuery(AlertSourcesDocument, READ_EVERY_MS);
  const sources = data?.alertSources;
  if (error !== undefined && sources === undefined)
    return <ErrorNotice what="Could not load alert sources." error={error} retry={refetch} />;
  if (sources === undefined) return <Loading label="Loading alert sources" height={105} />;
  return (
    <>
      <Paper component={sources.length === 0 ? 'div' : 'ul'} sx={dividedList}>
        {sources.length === 0 ? (
          <EmptyNotice title="No alert source configured">
            Select your monitoring system below. The steps cover tarsy.yaml and the sender’s own
            configuration.
          </EmptyNotice>
        ) : (
          sources.map((source) => <SourceItem key={source.name} source={source} />)
        )}
      </Paper>
      <ConnectSender />
    </>
  );
}

function SourceItem({ source }: { source: Source }) {
  const { name, type, path } = source;
  const address = `${window.location.origin}${SUB_PATH}${path}`;
  const own = name === OWN_CANARY;
  const rest = (
    <>
      {own ? null : <Address address={address} name={name} />}
      {source.canary === null ? null : <SignOfLife canary={source.canary} />}
    </>
  );
  const summary = (
    <Box component="span" sx={line}>
      <Box component="span" sx={{ fontWeight: 650, overflowWrap: 'anywhere' }}>
        {name}
      </Box>
      <Box component="span" sx={quiet}>
        {own ? 'self-test by TARSy' : type}
      </Box>
      {own ? null : <Verification verification={source.verification} />}
      <Box component="span" sx={[quiet, { ml: { sm: 'auto' } }]}>
        <Counts source={source} />
      </Box>
    </Box>
  );
  return (
    <Box component="li" sx={{ px: 1.5, py: 1 }}>
      {own ? (
        <>
          <Box sx={{ ml: 2.5 }}>{summary}</Box>
          {rest}
        </>
      ) : (
        <Disclosure stateKey={`source:${name}`} summary={summary} preview={rest}>
          {rest}
          <Box sx={{ ml: 2.5, mt: 1 }}>
            <SenderHelp type={type} name={name} address={address} />
          </Box>
        </Disclosure>
      )}
    </Box>
  );
}

const VERIFICATIONS: Readonly<Record<string, string>> = {
  SIGNATURE: 'signed',
  BASIC: 'basic authentication',
  TOKEN: 'token',
};

/** Shows how the sender proves its identity; a source without proof is highlighted. */
function Verification({ verification }: { verification: string }) {
  if (verification === 'NONE')
    return (
      <Box component="span" sx={warning}>
        <AlertIcon sx={{ fontSize: 14 }} />
        Unauthenticated source
      </Box>
    );
  return (
    <Box component="span" sx={quiet}>
      {VERIFICATIONS[verification] ?? verification.toLowerCase()}
    </Box>
  );
}

/** Shows how many deliveries were accepted and refused in the last week. */
function Counts({ source: { received, rejected, lastReceivedAt } }: { source: Source }) {
  return (
    <>
      {received.toLocaleString('en')} accepted
      {rejected === 0 ? null : (
        <Box component="span" sx={{ color: 'status.failed', fontWeight: 600 }}>
          , {rejected.toLocaleString('en')} refused
        </Box>
      )}
      {lastReceivedAt === null ? (
        ', none in the last 7 days'
      ) : (
        <>
          , last <Ago time={lastReceivedAt} />
        </>
      )}
    </>
  );
}

function Address({ address, name }: { address: string; name: string }) {
  return (
    <Box sx={{ ml: 2.5, display: 'flex', alignItems: 'center', gap: 0.5, minWidth: 0 }}>
      <Box component="span" sx={{ fontFamily: mono, fontSize: '0.75rem', overflowWrap: 'anywhere' }}>
        {address}
      </Box>
      <CopyButton text={() => address} label={`Copy address of ${name}`} />
    </Box>
  );
}

function ConnectSender() {
  const [type, setType] = useState('');
  return (
    <Box sx={{ mt: 1.5 }}>
      <ChoiceField
        label="Connect a monitoring system"
        choices={CHOICES}
        chosen={[type]}
        change={([chosen = '']) => setType(chosen)}
        width={{ xs: '100%', md: 320 }}
      />
      {type === '' ? null : (
        <Paper sx={{ mt: 1, p: 1.5 }}>
          <SenderHelp
            type={type}
            name="prod"
            address={`${window.location.origin}${SUB_PATH}/webhooks/prod`}
          />
        </Paper>
      )}
    </Box>
  );
}

function SenderHelp(props: { type: string; name: string; address: string }) {
  return (
    <Suspense fallback={<Loading label="Loading setup steps" height={160} />}>
      <SenderGuide {...props} />
    </Suspense>
  );
}

const line = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1.5,
  flex: 1,
  minWidth: 0,
  fontSize: '0.875rem',
} as const;
const quiet = { color: 'text.secondary', fontSize: '0.8125rem' } as const;
const warning = {
  display: 'inline-flex',
  alignItems: 'center',
  gap: 0.5,
  color: 'status.late',
  fontSize: '0.8125rem',
  fontWeight: 600,
} as const;
