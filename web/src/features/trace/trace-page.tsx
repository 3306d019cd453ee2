import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useMemo, useState } from 'react';
import { Page } from '../../components/app-shell.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { Duration } from '../../components/time.tsx';
import { formatCost } from '../../lib/cost.ts';
import { formatCount } from '../../lib/format.ts';
import { createOpenState, OpenStateProvider } from '../../lib/open-state.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink, useParams, useSearchParams } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { useNow } from '../../lib/use-now.ts';
import { OutcomeChip } from '../report/outcome-chip.tsx';
import { DownloadButton } from './download-button.tsx';
import { StageOverview } from './stage-overview.tsx';
import { filterStages, matchesFilter, parseTraceFilter } from './trace-filter.ts';
import { TraceFilterBar } from './trace-filter-bar.tsx';
import { interactionsOf, investigationSpan, type TraceSession, timeShares } from './trace-model.ts';
import { SessionCalls, TraceStageCard } from './trace-stage.tsx';
import { totalsOf, type UsageTotals } from './trace-totals.ts';
import { isRunning, useTrace } from './use-trace.ts';
import { TimeBar } from './waterfall.tsx';

/** Shows all interactions of a session with models and tools, and how its time and tokens were spent. */
export default function TracePage() {
  const { id = '' } = useParams();
  const { session, error, retry } = useTrace(id);
  const [memory] = useState(createOpenState);
  useDocumentTitle('Trace');
  return (
    <Page>
      <Link component={RouterLink} to={sessionPath(id)} underline="hover" sx={back}>
        ← Session
      </Link>
      {session ? (
        <OpenStateProvider value={memory}>
          <Trace session={session} />
        </OpenStateProvider>
      ) : (
        <>
          <Typography variant="h1" sx={{ mt: 0.5, mb: 1 }}>
            Trace
          </Typography>
          {error ? (
            <ErrorNotice what="Could not load this trace." error={error} retry={retry} />
          ) : session === undefined ? (
            <Loading label="Loading trace" shape="trace" />
          ) : (
            <EmptyNotice title="Session not found">The session may have been deleted.</EmptyNotice>
          )}
        </>
      )}
    </Page>
  );
}

function Trace({ session }: { session: TraceSession }) {
  const now = useNow(isRunning(session));
  const { stages, sessionInteractions } = session.trace;
  const [params, setParams] = useSearchParams();
  const filter = useMemo(() => parseTraceFilter(params), [params]);
  const shown = filterStages(stages, filter);
  // A filter by stage or agent hides the session's own calls, because they belong to neither.
  const sessionCalls = interactionsOf({
    llmInteractions: filter.scopes.length > 0 ? [] : sessionInteractions,
  }).filter((each) => matchesFilter(filter, each));
  const whole = investigationSpan(session, now);
  const origin = whole?.start ?? 0;
  const isEmpty = stages.length === 0 && sessionInteractions.length === 0;
  return (
    <>
      <Typography variant="h1" sx={{ mt: 0.5, mb: 1, overflowWrap: 'anywhere' }}>
        Trace: {session.title}
      </Typography>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5, mb: 2 }}>
        <OutcomeChip session={session} />
        <Box sx={{ fontWeight: 600 }}>
          <Duration start={session.startedAt} end={session.completedAt} />
        </Box>
        <Box sx={{ flex: 1 }} />
        <DownloadButton sessionId={session.id} fileName={`trace-${session.id.replace(/\W/g, '')}.json`} />
      </Box>
      <Paper component="section" aria-label="Totals" sx={{ p: 1.5, mb: 2 }}>
        <TimeBar shares={timeShares(session, now)} />
        {whole === null ? null : <StageOverview stages={stages} whole={whole} now={now} />}
        <Totals session={session} />
      </Paper>
      {isEmpty ? (
        <EmptyNotice title="No interactions yet">Model and tool calls appear here when they end.</EmptyNotice>
      ) : (
        <TraceFilterBar session={session} filter={filter} change={setParams} />
      )}
      {shown.map((traced) => (
        <TraceStageCard
          key={traced.stage.id}
          traced={stages.find(({ stage }) => stage.id === traced.stage.id) ?? traced}
          shown={traced}
          now={now}
          origin={origin}
        />
      ))}
      <SessionCalls interactions={sessionCalls} origin={origin} />
      {!isEmpty && shown.length === 0 && sessionCalls.length === 0 ? (
        <EmptyNotice title="No matching interactions">
          <Button onClick={() => setParams('')}>Clear filters</Button>
        </EmptyNotice>
      ) : null}
    </>
  );
}

/** Shows the totals of the investigation; later calls are listed separately. */
function Totals({ session }: { session: TraceSession }) {
  const { investigation, afterwards } = totalsOf(session);
  const { totalTokens, inputTokens, outputTokens, thinkingTokens, cachedReadTokens, cacheWriteTokens } =
    investigation;
  const facts: readonly (readonly [string, string])[] = [
    ['Model calls', formatCount(investigation.modelCalls)],
    ['Tool calls', formatCount(investigation.toolCalls)],
    ['Cost', formatCost(investigation.cost)],
    ['Tokens', formatCount(totalTokens)],
    ['Input', formatCount(inputTokens)],
    ['Cache reads', cachedShare(cachedReadTokens, inputTokens)],
    ['Cache writes', formatCount(cacheWriteTokens)],
    ['Output', formatCount(outputTokens)],
    ['Thinking', formatCount(thinkingTokens)],
  ];
  return (
    <>
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
      {afterwards.modelCalls === 0 ? null : (
        <Box sx={later}>After the investigation: {usageText(afterwards)}.</Box>
      )}
    </>
  );
}

/** Describes the totals of the calls after the investigation: for questions, scores and memory. */
function usageText({ modelCalls, toolCalls, cost, totalTokens }: UsageTotals): string {
  return [
    countText(modelCalls, 'model call'),
    ...(toolCalls === 0 ? [] : [countText(toolCalls, 'tool call')]),
    `cost ${formatCost(cost)}`,
    `${formatCount(totalTokens)} tokens`,
  ].join(', ');
}

const countText = (count: number, what: string): string =>
  `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;

/** Returns the number of cached tokens with their share of the input. */
function cachedShare(cached: number, input: number): string {
  return cached === 0 || input === 0
    ? formatCount(cached)
    : `${formatCount(cached)} (${Math.floor((100 * cached) / input)} %)`;
}

const later = { mt: 1, fontSize: '0.8125rem', color: 'text.secondary' } as const;
const back = { fontSize: '0.8125rem' } as const;
const totals = { display: 'flex', flexWrap: 'wrap', columnGap: 4, rowGap: 1, m: 0, mt: 1.5 } as const;
