import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import { useCallback, useMemo } from 'react';
import { dividedList } from '../../components/divided-list.ts';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { Pager } from '../../components/pager.tsx';
import { AuditEventsDocument } from '../../graphql/gen/lazy-documents.ts';
import { useFreshQuery } from '../../graphql/use-fresh-query.ts';
import { FIRST_PAGE, isFirstPage } from '../../lib/list-page.ts';
import { useSearchParams } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { AdminOnly } from './admin-only.tsx';
import { AuditExport } from './audit-export-buttons.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { AuditRow } from './audit-row.tsx';
import {
  type AuditView,
  type ChangeView,
  changeView,
  countFilters,
  formatView,
  parseView,
  viewVariables,
  withoutFilters,
} from './audit-view.ts';
import { useTargetNames } from './use-target-names.ts';

const READ_EVERY_MS = 5_000;

export default function AuditPage() {
  useDocumentTitle('Audit log');
  return (
    <AdminOnly title="Audit log">
      <Audit />
    </AdminOnly>
  );
}

function Audit() {
  const [params, setParams] = useSearchParams();
  const view = useMemo(() => parseView(params), [params]);
  const change: ChangeView = useCallback(
    (part) => setParams((now) => formatView(changeView(parseView(now), part)), {}),
    [setParams],
  );
  const { data, shown, error, refetch } = useFreshQuery(AuditEventsDocument, view, currentVariables);
  usePolling(refetch, READ_EVERY_MS);
  const page = data?.auditEvents ?? null;
  const names = useTargetNames(page?.nodes.map(({ targetId }) => targetId) ?? []);
  const stale = shown !== view;
  // True if this page shows the error. A lost connection alone is left to the app header while the rows fit
  // the view.
  const failed = error !== null && (stale || error.networkError === undefined);
  return (
    <>
      <AuditFilters view={view} change={change} />
      {failed ? (
        <Box sx={{ mb: 1.5 }}>
          <ErrorNotice what="Could not load the audit log." error={error} retry={refetch} />
          {isFirstPage(view) ? null : <Button onClick={() => change(FIRST_PAGE)}>Show first page</Button>}
        </Box>
      ) : null}
      {page === null ? (
        failed ? null : (
          <Loading label="Loading audit log" shape="rows" />
        )
      ) : page.nodes.length === 0 ? (
        <Paper>
          <EmptyList view={shown ?? view} change={change} />
        </Paper>
      ) : (
        <Box aria-busy={stale} sx={{ opacity: stale ? 0.6 : 1 }}>
          <Paper component="ul" aria-label="Audit events" sx={dividedList}>
            {page.nodes.map((event) => (
              <AuditRow key={event.id} event={event} name={names.get(event.targetId ?? '')} change={change} />
            ))}
          </Paper>
          <Box sx={foot}>
            <Box role="status" sx={{ flex: 1 }}>
              {page.totalCount === 1 ? '1 event' : `${page.totalCount.toLocaleString('en')} events`}
            </Box>
            <AuditExport view={view} />
          </Box>
          <Pager
            label="Audit log pages"
            page={page}
            view={view}
            change={change}
            stale={stale}
            top="system-top"
          />
        </Box>
      )}
    </>
  );
}

const currentVariables = (view: AuditView) => viewVariables(view, Date.now());

function EmptyList({ view, change }: { view: AuditView; change: ChangeView }) {
  if (!isFirstPage(view))
    return (
      <EmptyNotice title="This page is now empty">
        <Button onClick={() => change(FIRST_PAGE)}>Show first page</Button>
      </EmptyNotice>
    );
  if (countFilters(view) > 0)
    return (
      <EmptyNotice title="No matching events">
        <Button onClick={() => change(withoutFilters(view))}>Clear filters</Button>
      </EmptyNotice>
    );
  return (
    <EmptyNotice title="No audit events yet">
      Each action of a user or API token appears here, such as submitting an alert or creating a silence.
    </EmptyNotice>
  );
}

const foot = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 1,
  mt: 1,
  fontSize: '0.8125rem',
  color: 'text.secondary',
} as const;
