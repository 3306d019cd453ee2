import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { useCallback, useMemo } from 'react';
import { Page } from '../../components/app-shell.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { SystemHeading } from '../../components/system-heading.tsx';
import type { UsagePageQuery } from '../../graphql/gen/documents.ts';
import { UsagePageDocument } from '../../graphql/gen/lazy-documents.ts';
import { useFreshQuery } from '../../graphql/use-fresh-query.ts';
import { formatCost, formatUsd, unpricedText } from '../../lib/cost.ts';
import { formatCount } from '../../lib/format.ts';
import { useSearchParams } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { Budgets } from './budgets.tsx';
import { DayChart } from './day-chart.tsx';
import { TopSessions } from './top-sessions.tsx';
import { UsageFilters } from './usage-filters.tsx';
import { UsageTable } from './usage-table.tsx';
import { daysOf, formatView, parseView, periodOf, type UsageView } from './usage-view.ts';

export default function UsagePage() {
  useDocumentTitle('Usage');
  const [params, setParams] = useSearchParams();
  const view = useMemo(() => parseView(params), [params]);
  const change = useCallback(
    (part: Partial<UsageView>) => setParams((now) => formatView({ ...parseView(now), ...part }), {}),
    [setParams],
  );
  const days = useMemo(() => daysOf(view, Date.now()), [view]);
  const { data, shown, error, refetch } = useFreshQuery(UsagePageDocument, view, currentVariables);
  const stale = shown !== view;
  const failed = error !== null && (stale || error.networkError === undefined);
  return (
    <Page>
      <SystemHeading title="Usage" />
      <Budgets budgets={data?.budgets ?? []} />
      <UsageFilters view={view} days={days} change={change} />
      {failed ? (
        <ErrorNotice what="Could not load usage data." error={error} retry={refetch} />
      ) : data === null || shown === null ? (
        <Loading label="Loading usage data" shape="charts" />
      ) : data.usage.total.calls === 0 ? (
        <Paper>
          <EmptyNotice title="No model calls in this period" />
        </Paper>
      ) : (
        <Box aria-busy={stale} sx={[grid, { opacity: stale ? 0.6 : 1 }]}>
          <Totals total={data.usage.total} />
          <Paper component="section" aria-label="By day" sx={{ p: 1.5 }}>
            <Days days={daysOf(shown, Date.now())} rows={data.days.rows} />
          </Paper>
          <UsageTable view={shown} rows={data.usage.rows} total={data.usage.total} />
          <TopSessions sessions={data.usage.top} />
        </Box>
      )}
    </Page>
  );
}

const currentVariables = (view: UsageView) => ({ ...periodOf(daysOf(view, Date.now())), by: view.by });

/** Shows the cost by day, or the tokens by day if no call has a known price. */
function Days({ days, rows }: { days: readonly string[]; rows: UsagePageQuery['days']['rows'] }) {
  const found = new Map(rows.map((row) => [row.key, row]));
  const priced = rows.some(({ cost }) => cost.usd > 0);
  const value = (day: string): number => {
    const row = found.get(day);
    return (priced ? row?.cost.usd : row?.tokens.totalTokens) ?? 0;
  };
  return (
    <DayChart
      title={priced ? 'Cost by day, UTC' : 'Tokens by day, UTC'}
      days={days.map((day) => ({ day, value: value(day) }))}
      format={priced ? formatUsd : formatCount}
    />
  );
}

function Totals({ total }: { total: UsagePageQuery['usage']['total'] }) {
  const facts = [
    ['Cost', formatCost(total.cost)],
    ['Sessions', total.sessions.toLocaleString('en')],
    ['Model calls', total.calls.toLocaleString('en')],
    ['Tokens', formatCount(total.tokens.totalTokens)],
    ['Input', formatCount(total.tokens.inputTokens)],
    ['Cache reads', formatCount(total.tokens.cachedReadTokens)],
    ['Output', formatCount(total.tokens.outputTokens + total.tokens.thinkingTokens)],
  ] as const;
  const unpriced = unpricedText(total.cost);
  return (
    <Paper component="section" aria-label="Totals" sx={{ p: 1.5 }}>
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
      {unpriced === null ? null : (
        <Box sx={{ mt: 1, fontSize: '0.8125rem', color: 'status.late' }}>
          {unpriced}. Set prices in <code>model_prices</code> in tarsy.yaml.
        </Box>
      )}
    </Paper>
  );
}

const grid = { display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' } as const;
const totals = { display: 'flex', flexWrap: 'wrap', columnGap: 4, rowGap: 1, m: 0 } as const;
