import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import type { ReactNode } from 'react';
import { Page } from '../../components/app-shell.tsx';
import { dividedList } from '../../components/divided-list.ts';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { Pager } from '../../components/pager.tsx';
import { AlertFilterOptionsDocument } from '../../graphql/gen/lazy-documents.ts';
import { OPTIONS_EVERY_MS, usePolledQuery } from '../../graphql/use-polled-query.ts';
import { FIRST_PAGE, isFirstPage } from '../../lib/list-page.ts';
import { OWN_CANARY } from '../../lib/own-canary.ts';
import { Link } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { AlertFilters } from './alert-filters.tsx';
import { AlertsHeading } from './alerts-heading.tsx';
import { countFilters, withoutFilters } from './alerts-view.ts';
import { GroupRow } from './group-row.tsx';
import { type AlertsViewState, useAlertsView } from './use-alerts-view.ts';
import { type GroupsFeed, useGroups } from './use-groups.ts';

export default function AlertsPage() {
  useDocumentTitle('Alerts');
  const list = useAlertsView();
  const feed = useGroups(list.view);
  const { data: options } = usePolledQuery(AlertFilterOptionsDocument, OPTIONS_EVERY_MS);
  const { page, shown, error, stale, refetch } = feed;
  // True if this page shows the error. A lost connection alone is left to the app header while the rows fit
  // the view.
  const failed = error !== null && (stale || error.networkError === undefined);
  return (
    <Page>
      <AlertsHeading title="Alerts" />
      <AlertFilters list={list} options={options} />
      {failed ? (
        <Box sx={{ mb: 1.5 }}>
          <ErrorNotice what="Could not load alerts." error={error} retry={refetch} />
          {isFirstPage(list.view) ? null : (
            <Button onClick={() => list.change(FIRST_PAGE)}>Show first page</Button>
          )}
        </Box>
      ) : null}
      {page === null ? (
        failed ? null : (
          <Loading label="Loading alerts" shape="rows" />
        )
      ) : page.nodes.length === 0 ? (
        <Paper>
          <EmptyList
            view={shown ?? list.view}
            change={list.change}
            sources={options?.alertSources.filter(({ name }) => name !== OWN_CANARY).length}
          />
        </Paper>
      ) : (
        <Groups feed={feed} list={list} />
      )}
    </Page>
  );
}

function Groups({ feed: { page, stale }, list }: { feed: GroupsFeed; list: AlertsViewState }) {
  if (page === null) return null;
  return (
    <Box aria-busy={stale} sx={{ opacity: stale ? 0.6 : 1 }}>
      <Paper component="ul" aria-label="Alert groups" sx={dividedList}>
        {page.nodes.map((group) => (
          <GroupRow key={group.id} group={group} />
        ))}
      </Paper>
      <Box role="status" sx={{ mt: 1, fontSize: '0.8125rem', color: 'text.secondary' }}>
        {page.totalCount === 1 ? '1 group' : `${page.totalCount.toLocaleString('en')} groups`}
      </Box>
      <Pager
        label="Alert group pages"
        page={page}
        view={list.view}
        change={list.change}
        stale={stale}
        top="alerts-top"
      />
    </Box>
  );
}

/** Explains an empty list and what to do next. `sources` is the number of alert sources; undefined until known. */
function EmptyList({
  view,
  change,
  sources,
}: Pick<AlertsViewState, 'view' | 'change'> & { sources: number | undefined }) {
  if (!isFirstPage(view))
    return (
      <EmptyNotice title="This page is now empty">
        <Button onClick={() => change(FIRST_PAGE)}>Show first page</Button>
      </EmptyNotice>
    );
  if (countFilters(view) > 0)
    return (
      <EmptyNotice title="No matching alert groups">
        <Button onClick={() => change(withoutFilters(view))}>Clear search and filters</Button>
      </EmptyNotice>
    );
  if (sources === 0)
    return (
      <EmptyNotice title="No alert source configured">
        <NextStep to="/system#sources" label="Add a source">
          Add a source under <code>intake.sources</code> in tarsy.yaml. The System page shows the setup steps.
        </NextStep>
      </EmptyNotice>
    );
  return (
    <EmptyNotice title="No alerts received yet">
      <NextStep to="/system#sources" label="Show setup steps">
        The System page shows the setup steps and the deliveries of each source.
      </NextStep>
    </EmptyNotice>
  );
}

function NextStep({ to, label, children }: { to: string; label: string; children: ReactNode }) {
  return (
    <>
      <Box sx={{ mb: 2, mx: 'auto', maxWidth: '70ch' }}>{children}</Box>
      <Button component={Link} to={to} variant="outlined">
        {label}
      </Button>
    </>
  );
}
