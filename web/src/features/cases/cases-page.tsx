import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { useEffect } from 'react';
import { Page } from '../../components/app-shell.tsx';
import { CursorPager, useCursorPages } from '../../components/cursor-pager.tsx';
import { dividedList } from '../../components/divided-list.ts';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { SearchField } from '../../components/search-field.tsx';
import type { CaseItemFragment } from '../../graphql/gen/documents.ts';
import { CasesDocument } from '../../graphql/gen/lazy-documents.ts';
import { useAfterReconnect } from '../../graphql/live-connection-context.tsx';
import { useLiveQuery } from '../../graphql/use-live-query.ts';
import { useSearchParams, withParam } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { REVIEW_PAGES } from '../review/review-labels.ts';
import { CaseItem, isRunning } from './case-item.tsx';

const MAX_SEARCH = 200;
/** Interval (ms) of refreshes while a shown replay runs, because lists of sessions do not report replays. */
const REFRESH_MS = 3_000;

/** Lists cases with their latest replays. Responders can replay them. */
export default function CasesPage() {
  useDocumentTitle('Cases');
  const [params, setParams] = useSearchParams();
  const search = params.get('search') ?? '';
  return (
    <Page>
      <PageHeading title="Cases" label="Review" links={REVIEW_PAGES} />
      <Box sx={{ mb: 1.5, color: 'text.secondary', fontSize: '0.8125rem', maxWidth: '72ch' }}>
        Frozen investigations. A replay investigates a case again with today’s configuration and the recorded
        tool results, without reaching any system.
      </Box>
      <Box sx={{ mb: 1.5 }}>
        <SearchField
          value={search}
          change={(text) => setParams((now) => withParam(now, 'search', text), { replace: true })}
          label="Search cases"
          placeholder="Name or alert type"
          maxLength={MAX_SEARCH}
        />
      </Box>
      <Cases key={search} search={search} />
    </Page>
  );
}

function Cases({ search }: { search: string }) {
  const pages = useCursorPages();
  const variables = { after: pages.after, search: search || null };
  const { data, error, refetch } = useLiveQuery(CasesDocument, variables, 0);
  useAfterReconnect(refetch);
  const page = data?.cases;
  const runs = page?.nodes.some(hasRunning) ?? false;
  useEffect(() => {
    const timer = runs ? setInterval(refetch, REFRESH_MS) : undefined;
    return () => clearInterval(timer);
  }, [runs, refetch]);
  if (page === undefined)
    return error === undefined ? (
      <Loading label="Loading cases" shape="rows" />
    ) : (
      <ErrorNotice what="Could not load cases." error={error} retry={refetch} />
    );
  if (page.nodes.length === 0)
    return (
      <Paper>
        <EmptyNotice title={search === '' ? 'No cases yet' : 'No matching cases'}>
          {search === ''
            ? 'Make a case of an ended session with the command npm run case.'
            : 'Try fewer or different characters.'}
        </EmptyNotice>
      </Paper>
    );
  return (
    <>
      <Paper component="ul" aria-label="Cases" sx={dividedList}>
        {page.nodes.map((one) => (
          <CaseItem key={one.id} case={one} changed={refetch} />
        ))}
      </Paper>
      <CursorPager
        label="Case pages"
        pages={pages}
        info={page.pageInfo}
        labels={{ previous: 'Newer', next: 'Older' }}
      />
    </>
  );
}

const hasRunning = ({ replays }: CaseItemFragment): boolean => replays.nodes.some(isRunning);
