import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import { useState } from 'react';
import { ActionButton } from '../../components/action-button.tsx';
import { Page } from '../../components/app-shell.tsx';
import { CursorPager, useCursorPages } from '../../components/cursor-pager.tsx';
import { dividedList } from '../../components/divided-list.ts';
import { AddIcon } from '../../components/icons.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { SilencesDocument } from '../../graphql/gen/lazy-documents.ts';
import { useAfterReconnect } from '../../graphql/live-connection-context.tsx';
import { useLiveQuery } from '../../graphql/use-live-query.ts';
import { useSearchParams } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { AlertsHeading } from './alerts-heading.tsx';
import { SilenceDialog } from './silence-dialog.tsx';
import { SilenceItem } from './silence-item.tsx';

const READ_EVERY_MS = 10_000;

interface InitialContent {
  readonly matchers: readonly string[];
  readonly comment: string;
}

/** Lists active and planned silences, ended ones only on request, and creates new ones. */
export default function SilencesPage() {
  useDocumentTitle('Silences');
  const [params, setParams] = useSearchParams();
  const showEnded = params.get('ended') === '1';
  const [initial, setInitial] = useState<InitialContent | null>(null);
  const [version, setVersion] = useState(0);
  const onCreated = (): void => {
    setInitial(null);
    setVersion((now) => now + 1);
  };
  return (
    <Page>
      <AlertsHeading title="Silences" />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mb: 1.5 }}>
        <ActionButton
          needs="REVIEW"
          variant="contained"
          startIcon={<AddIcon />}
          onClick={() => setInitial({ matchers: [], comment: '' })}
        >
          New silence
        </ActionButton>
        <Button
          variant="outlined"
          aria-pressed={showEnded}
          onClick={() => setParams(showEnded ? {} : { ended: '1' }, { replace: true })}
        >
          {showEnded ? 'Hide ended silences' : 'Show ended silences'}
        </Button>
      </Box>
      <Silences key={String(showEnded)} showEnded={showEnded} again={setInitial} version={version} />
      {initial === null ? null : (
        <SilenceDialog {...initial} close={() => setInitial(null)} onCreated={onCreated} />
      )}
    </Page>
  );
}

interface SilencesProps {
  readonly showEnded: boolean;
  readonly again: (initial: InitialContent) => void;
  /** A number that changes after a silence is created; the list is then read again. */
  readonly version: number;
}

function Silences({ showEnded, again, version }: SilencesProps) {
  const pages = useCursorPages();
  const { data, error, refetch } = useLiveQuery(
    SilencesDocument,
    { after: pages.after, includeEnded: showEnded },
    version,
  );
  usePolling(refetch, READ_EVERY_MS);
  useAfterReconnect(refetch);
  const page = data?.silences;
  if (page === undefined)
    return error === undefined ? (
      <Loading label="Loading silences" shape="rows" />
    ) : (
      <ErrorNotice what="Could not load silences." error={error} retry={refetch} />
    );
  if (page.nodes.length === 0)
    return (
      <Paper>
        <EmptyNotice title={showEnded ? 'No silences yet' : 'No active silences'}>
          TARSy does not investigate matching alerts until the silence ends. Use silences for planned work or
          known problems. To silence a specific group, open its page.
        </EmptyNotice>
      </Paper>
    );
  return (
    <>
      <Paper component="ul" aria-label="Silences" sx={dividedList}>
        {page.nodes.map((silence) => (
          <SilenceItem key={silence.id} silence={silence} again={() => again(silence)} changed={refetch} />
        ))}
      </Paper>
      <CursorPager
        label="Silence pages"
        pages={pages}
        info={page.pageInfo}
        labels={{ previous: 'Newer', next: 'Older' }}
      />
    </>
  );
}
