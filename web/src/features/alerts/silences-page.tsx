import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import { useState } from 'react';
import { ActionButton } from '../../components/action-button.tsx';
import { Page } from '../../components/app-shell.tsx';
import { PagesNav } from '../../components/cursor-pager.tsx';
import { AddIcon } from '../../components/icons.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { SilencesDocument } from '../../graphql/gen/documents.ts';
import { useAfterReconnect } from '../../graphql/socket-context.tsx';
import { useLiveQuery } from '../../graphql/use-live-query.ts';
import { useSearchParams } from '../../lib/router.tsx';
import { usePages } from '../../lib/use-cursor-pages.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { AlertsHeading } from './alerts-heading.tsx';
import { framed } from './section.tsx';
import { SilenceDialog } from './silence-dialog.tsx';
import { SilenceItem } from './silence-item.tsx';

const READ_EVERY_MS = 10_000;

/** Initial content of the silence form. */
interface Begin {
  readonly matchers: readonly string[];
  readonly comment: string;
}

/** Active and planned silences, ended ones on demand, and a button for a new one. */
export default function SilencesPage() {
  useDocumentTitle('Silences');
  const [params, setParams] = useSearchParams();
  const ended = params.get('ended') === '1';
  const [begin, setBegin] = useState<Begin | null>(null);
  const [version, setVersion] = useState(0);
  const made = (): void => {
    setBegin(null);
    setVersion((now) => now + 1);
  };
  return (
    <Page maxWidth={1100}>
      <AlertsHeading title="Silences" />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mb: 1.5 }}>
        <ActionButton
          needs="REVIEW"
          variant="contained"
          startIcon={<AddIcon />}
          onClick={() => setBegin({ matchers: [], comment: '' })}
        >
          New silence
        </ActionButton>
        <Button
          variant="outlined"
          aria-pressed={ended}
          onClick={() => setParams(ended ? {} : { ended: '1' }, { replace: true })}
        >
          {ended ? 'Hide those that have ended' : 'Show those that have ended, too'}
        </Button>
      </Box>
      <Silences key={String(ended)} ended={ended} again={setBegin} version={version} />
      {begin === null ? null : <SilenceDialog {...begin} close={() => setBegin(null)} made={made} />}
    </Page>
  );
}

interface SilencesProps {
  readonly ended: boolean;
  readonly again: (begin: Begin) => void;
  /** Changes when a silence was created, to read the list again. */
  readonly version: number;
}

function Silences({ ended, again, version }: SilencesProps) {
  const pages = usePages();
  const { data, error, reread } = useLiveQuery(
    SilencesDocument,
    { after: pages.after, includeEnded: ended },
    version,
  );
  usePolling(reread, READ_EVERY_MS);
  useAfterReconnect(reread);
  const page = data?.silences;
  if (page === undefined)
    return error === undefined ? (
      <Loading label="Loading the silences" height={160} />
    ) : (
      <ErrorNotice what="The silences could not be read." error={error} retry={reread} />
    );
  if (page.nodes.length === 0)
    return (
      <Paper>
        <EmptyNotice title={ended ? 'No silence was ever made' : 'Nothing is silenced'}>
          A silence keeps matching alerts from being investigated, until it ends: for planned work, or for
          what is known. A group’s page offers one that fits it.
        </EmptyNotice>
      </Paper>
    );
  return (
    <>
      <Paper component="ul" aria-label="Silences" sx={framed}>
        {page.nodes.map((silence) => (
          <SilenceItem key={silence.id} silence={silence} again={() => again(silence)} changed={reread} />
        ))}
      </Paper>
      <PagesNav
        label="Pages of the silences"
        pages={pages}
        info={page.pageInfo}
        names={{ back: 'Newer', forth: 'Older' }}
      />
    </>
  );
}
