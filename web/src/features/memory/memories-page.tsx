import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import { Page } from '../../components/app-shell.tsx';
import { CursorPager, useCursorPages } from '../../components/cursor-pager.tsx';
import { dividedList } from '../../components/divided-list.ts';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { SearchField } from '../../components/search-field.tsx';
import type { MemoryItemFragment } from '../../graphql/gen/documents.ts';
import { MemoriesByIdDocument, MemoriesDocument } from '../../graphql/gen/lazy-documents.ts';
import { useAfterReconnect } from '../../graphql/live-connection-context.tsx';
import { useLiveQuery } from '../../graphql/use-live-query.ts';
import { useSearchParams, withParam } from '../../lib/router.tsx';
import { isLongEnough } from '../../lib/search.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { REVIEW_PAGES } from '../review/review-labels.ts';
import { MemoryItem } from './memory-item.tsx';

const MAX_SEARCH = 200;
/** Maximum number of memory ids read from the URL; an agent receives fewer. */
const MAX_CHOSEN = 20;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Lists and searches the lessons of past investigations; admins can edit, deprecate and delete them. */
export default function MemoriesPage() {
  useDocumentTitle('Memory');
  const [params, setParams] = useSearchParams();
  const search = params.get('search') ?? '';
  const all = params.get('all') === '1';
  const chosen = (params.get('ids') ?? '')
    .split(',')
    .filter((id) => UUID.test(id))
    .slice(0, MAX_CHOSEN);
  const set = (name: string, value: string): void =>
    setParams((now) => withParam(now, name, value), { replace: true });
  return (
    <Page>
      <PageHeading title="Memory" label="Review" links={REVIEW_PAGES} />
      <Box sx={{ mb: 1.5, color: 'text.secondary', fontSize: '0.8125rem', maxWidth: '72ch' }}>
        Lessons from investigations that reviewers rated right. Agents receive memories that match their alert
        as hints, never as evidence.
      </Box>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mb: 1.5 }}>
        <SearchField
          value={search}
          change={(text) => set('search', text)}
          label="Search memories"
          placeholder="Search memories"
          maxLength={MAX_SEARCH}
        />
        <Button variant="outlined" aria-pressed={all} onClick={() => set('all', all ? '' : '1')}>
          {all ? 'Hide deprecated memories' : 'Show deprecated memories'}
        </Button>
      </Box>
      {chosen.length > 0 ? (
        <ChosenMemories uuids={chosen} showAll={() => set('ids', '')} />
      ) : (
        <Memories key={`${search} ${all}`} search={isLongEnough(search) ? search : ''} all={all} />
      )}
    </Page>
  );
}

const isMemory = (node: unknown): node is MemoryItemFragment =>
  typeof node === 'object' && node !== null && 'content' in node;

/** Shows the memories that an agent received, in their current state. */
function ChosenMemories({ uuids, showAll }: { uuids: readonly string[]; showAll: () => void }) {
  const variables = { ids: uuids.map((uuid) => btoa(`Memory:${uuid}`)) };
  const { data, error, refetch } = useLiveQuery(MemoriesByIdDocument, variables, 0);
  if (data === undefined)
    return error === undefined ? (
      <Loading label="Loading memories" shape="rows" />
    ) : (
      <ErrorNotice what="Could not load memories." error={error} retry={refetch} />
    );
  const memories = data.nodes.filter(isMemory);
  const missing = uuids.length - memories.length;
  return (
    <>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: 1 }}>
        Memories given to the agent, in their current version.
        {missing === 0 ? null : ` ${missing === 1 ? 'One was' : `${missing} were`} deleted.`}
        <Button variant="outlined" onClick={showAll}>
          Show all memories
        </Button>
      </Box>
      {memories.length === 0 ? null : (
        <Paper component="ul" aria-label="Memories" sx={dividedList}>
          {memories.map((memory) => (
            <MemoryItem key={memory.id} memory={memory} changed={refetch} />
          ))}
        </Paper>
      )}
    </>
  );
}

function Memories({ search, all }: { search: string; all: boolean }) {
  const pages = useCursorPages();
  const variables = { after: pages.after, search: search || null, includeDeprecated: all };
  const { data, error, refetch } = useLiveQuery(MemoriesDocument, variables, 0);
  useAfterReconnect(refetch);
  const page = data?.memories;
  if (page === undefined)
    return error === undefined ? (
      <Loading label="Loading memories" shape="rows" />
    ) : (
      <ErrorNotice what="Could not load memories." error={error} retry={refetch} />
    );
  if (page.nodes.length === 0)
    return (
      <Paper>
        <EmptyNotice title={search === '' ? 'No memories yet' : 'No matching memories'}>
          {search === ''
            ? 'Lessons appear here after a reviewer rates an investigation as right.'
            : 'Try fewer or different words.'}
        </EmptyNotice>
      </Paper>
    );
  return (
    <>
      <Paper component="ul" aria-label="Memories" sx={dividedList}>
        {page.nodes.map((memory) => (
          <MemoryItem key={memory.id} memory={memory} changed={refetch} />
        ))}
      </Paper>
      <CursorPager
        label="Memory pages"
        pages={pages}
        info={page.pageInfo}
        labels={{ previous: 'Newer', next: 'Older' }}
      />
    </>
  );
}
