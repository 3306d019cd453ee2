import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { Page } from '../../components/app-shell.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { StatusChip } from '../../components/status-chip.tsx';
import { Duration } from '../../components/time.tsx';
import { formatCost } from '../../lib/cost.ts';
import { formatCount } from '../../lib/format.ts';
import { createOpenMemory, OpenMemoryProvider } from '../../lib/open-memory.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink, useParams } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { useNow } from '../../lib/use-now.ts';
import { DownloadButton } from './download-button.tsx';
import { type TraceSession, timeShares } from './trace-model.ts';
import { SessionCalls, TraceStageCard } from './trace-stage.tsx';
import { isRunning, useTrace } from './use-trace.ts';
import { TimeBar } from './waterfall.tsx';

/** What a session's models and tools were really told and said, and where its time and its tokens went. */
export default function TracePage() {
  const { id = '' } = useParams();
  const { session, error, retry } = useTrace(id);
  const [memory] = useState(createOpenMemory);
  useDocumentTitle('Trace');
  return (
    <Page maxWidth={1280}>
      <Link component={RouterLink} to={sessionPath(id)} underline="hover" sx={back}>
        ← Session
      </Link>
      {session ? (
        <OpenMemoryProvider value={memory}>
          <Trace session={session} />
        </OpenMemoryProvider>
      ) : (
        <>
          <Typography variant="h1" sx={{ mt: 0.5, mb: 1 }}>
            Trace
          </Typography>
          {error ? (
            <ErrorNotice what="This trace could not be read." error={error} retry={retry} />
          ) : session === undefined ? (
            <Loading label="Loading the trace" height={320} />
          ) : (
            <EmptyNotice title="There is no such session">It may have been removed.</EmptyNotice>
          )}
        </>
      )}
    </Page>
  );
}

function Trace({ session }: { session: TraceSession }) {
  const now = useNow(isRunning(session));
  const { stages, sessionInteractions } = session.trace;
  return (
    <>
      <Typography variant="h1" sx={{ mt: 0.5, mb: 1, overflowWrap: 'anywhere' }}>
        Trace: {session.title}
      </Typography>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5, mb: 2 }}>
        <StatusChip status={session.status} />
        <Box sx={{ fontWeight: 600 }}>
          <Duration start={session.startedAt} end={session.completedAt} />
        </Box>
        <Box sx={{ flex: 1 }} />
        <DownloadButton sessionId={session.id} fileName={`trace-${session.id.replace(/\W/g, '')}.json`} />
      </Box>
      <Paper component="section" aria-label="Totals" sx={{ p: 1.5, mb: 2 }}>
        <TimeBar shares={timeShares(session, now)} />
        <Totals session={session} />
      </Paper>
      {stages.map((traced) => (
        <TraceStageCard key={traced.stage.id} traced={traced} now={now} />
      ))}
      <SessionCalls calls={sessionInteractions} />
      {stages.length === 0 && sessionInteractions.length === 0 ? (
        <EmptyNotice title="Nothing has happened yet">
          Exchanges with models and tools appear here as they end.
        </EmptyNotice>
      ) : null}
    </>
  );
}

function Totals({ session }: { session: TraceSession }) {
  const agents = session.trace.stages.flatMap(({ executions }) => executions);
  const calls =
    agents.flatMap((own) => own.llmInteractions).length + session.trace.sessionInteractions.length;
  const tools = agents
    .flatMap((own) => own.mcpInteractions)
    .filter(({ toolName }) => toolName !== null).length;
  const { totalTokens, inputTokens, outputTokens, thinkingTokens, cachedReadTokens, cacheWriteTokens } =
    session.tokenUsage;
  const facts: readonly (readonly [string, string])[] = [
    ['Model calls', formatCount(calls)],
    ['Tool calls', formatCount(tools)],
    ['Cost', formatCost(session.cost)],
    ['Tokens', formatCount(totalTokens)],
    ['Input', formatCount(inputTokens)],
    ['Read from a cache', cachedShare(cachedReadTokens, inputTokens)],
    ['Written to a cache', formatCount(cacheWriteTokens)],
    ['Output', formatCount(outputTokens)],
    ['Thinking', formatCount(thinkingTokens)],
  ];
  return (
    <Box component="dl" sx={totals}>
      {facts.map(([name, value]) => (
        <Box key={name}>
          <Box component="dt" sx={{ fontSize: '0.75rem', color: 'text.secondary' }}>
            {name}
          </Box>
          <Box component="dd" sx={{ m: 0, fontWeight: 650, fontVariantNumeric: 'tabular-nums' }}>
            {value}
          </Box>
        </Box>
      ))}
    </Box>
  );
}

/** Of what the models read. */
function cachedShare(cached: number, input: number): string {
  return input === 0
    ? formatCount(cached)
    : `${formatCount(cached)} (${Math.floor((100 * cached) / input)} %)`;
}

const back = { fontSize: '0.8125rem' } as const;
const totals = { display: 'flex', flexWrap: 'wrap', columnGap: 4, rowGap: 1, m: 0, mt: 1.5 } as const;
