import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import { lazy, Suspense } from 'react';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { Pager } from '../../components/pager.tsx';
import { isFirstPage } from '../../lib/list-page.ts';
import { HistoryTable } from './history-table.tsx';
import { isFiltered, withoutFilters } from './list-view.ts';
import type { HistoryFeed } from './use-history.ts';
import type { ListViewState } from './use-list-view.ts';

const FirstSteps = lazy(() => import('./first-steps.tsx'));

interface Props {
  readonly feed: HistoryFeed;
  readonly list: ListViewState;
  /** True if no session is running or queued. */
  readonly isIdle: boolean;
}

/** Shows the finished sessions of the view, or a notice if there are none. */
export function HistorySection({ feed, list, isIdle }: Props) {
  const { page, shown, error, stale, refetch } = feed;
  const { view, change } = list;
  const isOnFirstPage = isFirstPage(view);
  // True if the page itself shows the error. The app header alone reports a lost connection while the rows match the
  // view.
  const failed = error !== null && (stale || error.networkError === undefined);
  return (
    <>
      {failed ? (
        <Box sx={{ mb: 1.5 }}>
          <ErrorNotice what="Could not load the history." error={error} retry={refetch} />
          {isOnFirstPage ? null : <Button onClick={() => change({})}>Show first page</Button>}
        </Box>
      ) : null}
      {page !== null && shown !== null && page.nodes.length === 0 ? (
        <Paper>
          {!isFirstPage(shown) ? (
            <EmptyNotice title="This page is now empty">
              <Button onClick={() => change({})}>Show first page</Button>
            </EmptyNotice>
          ) : isFiltered(shown) ? (
            <EmptyNotice title="No matching sessions">
              <Button onClick={() => change(withoutFilters(view))}>Clear search and filters</Button>
            </EmptyNotice>
          ) : isIdle ? (
            <Suspense>
              <FirstSteps />
            </Suspense>
          ) : (
            <EmptyNotice title="No finished sessions">Sessions appear here when they end.</EmptyNotice>
          )}
        </Paper>
      ) : (
        <Box sx={{ opacity: stale && page !== null ? 0.6 : 1 }}>
          <HistoryTable feed={feed} list={list} />
        </Box>
      )}
      {page === null ? null : (
        <Pager
          label="History pages"
          page={page}
          view={view}
          change={change}
          stale={stale}
          top="section-history"
        />
      )}
    </>
  );
}
