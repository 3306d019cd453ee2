import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef } from 'react';
import { HEADER_HEIGHT, Page } from '../../components/app-shell.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { useWaitingWork } from '../../components/use-system-state.ts';
import { WaitLine } from '../../components/wait-note.tsx';
import { FilterOptionsDocument } from '../../graphql/gen/documents.ts';
import { OPTIONS_EVERY_MS, usePolledQuery } from '../../graphql/use-polled-query.ts';
import { rememberOrder } from '../../lib/session-order.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { usePendingCalls } from '../approvals/use-pending-calls.ts';
import { ActiveList } from './active-list.tsx';
import { FilterBar } from './filter-bar.tsx';
import { HistorySection } from './history-section.tsx';
import { isFiltered } from './list-view.ts';
import { splitByApproval } from './split-by-approval.ts';
import { useHistory } from './use-history.ts';
import { useListView } from './use-list-view.ts';
import { useRowShortcuts } from './use-row-shortcuts.ts';
import { useSessionLists } from './use-session-lists.ts';

const ApprovalList = lazy(() => import('./approval-list.tsx'));

/** Lists sessions: those that wait for approval, then the running, queued and finished ones. */
export function SessionsPage() {
  useDocumentTitle('Sessions');
  const list = useListView();
  const history = useHistory(list.view);
  const { lists, error, refetch } = useSessionLists(history.rereadSoon);
  const search = useRef<HTMLInputElement>(null);
  useRowShortcuts(search);
  const { data: options } = usePolledQuery(FilterOptionsDocument, OPTIONS_EVERY_MS);
  const stageCounts = useMemo(
    () => new Map(options?.alertTypes.map(({ chainId, stageCount }) => [chainId, stageCount])),
    [options?.alertTypes],
  );
  const queued = lists?.queued ?? [];
  const calls = usePendingCalls();
  const active = lists === null ? null : splitByApproval(lists.active, calls);
  const listed = history.page?.nodes;
  useEffect(() => {
    const rows = [...(lists?.active ?? []), ...(lists?.queued ?? []), ...(listed ?? [])];
    rememberOrder(rows.map(({ id }) => id));
  }, [lists, listed]);
  const isIdle = lists !== null && lists.active.length + queued.length === 0;
  // An empty history may be due to filters, which must stay visible so that the viewer can clear them.
  const hasNoSessions =
    isIdle && history.page?.totalCount === 0 && history.shown !== null && !isFiltered(history.shown);
  return (
    <Page>
      <Typography variant="h1" sx={{ mb: 2 }}>
        Sessions
      </Typography>
      {active === null || active.waiting.length === 0 ? null : (
        <Section title="Waiting for approval" count={active.waiting.length}>
          <Suspense>
            <ApprovalList rows={active.waiting} calls={calls} stageCounts={stageCounts} />
          </Suspense>
        </Section>
      )}
      <Section title="Running" count={active?.running.length}>
        {error !== null && lists === null ? (
          // Before the first answer, "Nothing is running" could be wrong.
          <ErrorNotice what="Could not load running sessions." error={error} retry={refetch} />
        ) : (
          <ActiveList rows={active?.running ?? null} stageCounts={stageCounts} emptyText="Nothing running" />
        )}
      </Section>
      {queued.length > 0 ? (
        <Section title="Queued" count={queued.length} more={lists?.more}>
          <SlotWait />
          <ActiveList rows={queued} stageCounts={stageCounts} emptyText="" />
        </Section>
      ) : null}
      <Section title="History" count={history.page?.totalCount}>
        {hasNoSessions ? null : (
          <FilterBar list={list} options={options?.sessionFilterOptions} search={search} />
        )}
        <HistorySection feed={history} list={list} isIdle={isIdle} />
      </Section>
    </Page>
  );
}

/** Shows why no slot is given to the queue. */
function SlotWait() {
  const slot = useWaitingWork()?.find(({ reason }) => reason === 'SLOT');
  return slot === undefined ? null : <WaitLine>{slot.message}</WaitLine>;
}

function Section(props: {
  title: string;
  count: number | undefined;
  more?: boolean | undefined;
  children: ReactNode;
}) {
  const id = `section-${props.title.toLowerCase().replaceAll(' ', '-')}`;
  return (
    <Box component="section" aria-labelledby={id} sx={{ mb: 2.5 }}>
      <Typography id={id} variant="h2" sx={{ mb: 1, scrollMarginTop: HEADER_HEIGHT + 8 }}>
        {props.title}
        <Box component="span" sx={{ ml: 1, color: 'text.secondary', fontWeight: 500 }}>
          {props.count?.toLocaleString('en') ?? ''}
          {props.more ? '+' : ''}
        </Box>
      </Typography>
      {props.children}
    </Box>
  );
}
