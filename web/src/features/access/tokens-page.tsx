import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import { useState } from 'react';
import { dividedList } from '../../components/divided-list.ts';
import { AddIcon } from '../../components/icons.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import type { TokenItemFragment } from '../../graphql/gen/documents.ts';
import { ApiTokensDocument } from '../../graphql/gen/lazy-documents.ts';
import { usePolledQuery } from '../../graphql/use-polled-query.ts';
import { useSearchParams } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { useNow } from '../../lib/use-now.ts';
import { AdminOnly } from './admin-only.tsx';
import { NewTokenDialog } from './new-token-dialog.tsx';
import { TokenItem, tokenStateOf } from './token-item.tsx';

// Polling interval (ms). A token revoked elsewhere becomes invalid within a second; the page shows this as fast.
const READ_EVERY_MS = 1_000;

/** Lists the API tokens, expired and revoked ones only on request, and creates new ones. */
export default function TokensPage() {
  useDocumentTitle('API tokens');
  return (
    <AdminOnly title="API tokens">
      <Tokens />
    </AdminOnly>
  );
}

function Tokens() {
  const [params, setParams] = useSearchParams();
  const showEnded = params.get('ended') === '1';
  const [isCreating, setCreating] = useState(false);
  const { data, error, refetch } = usePolledQuery(ApiTokensDocument, READ_EVERY_MS);
  const now = useNow(true);
  const tokens = data?.apiTokens;
  const shown = tokens?.filter((token) => showEnded || tokenStateOf(token, now) === 'valid');
  return (
    <>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mb: 1.5 }}>
        <Button variant="contained" startIcon={<AddIcon />} onClick={() => setCreating(true)}>
          New token
        </Button>
        <Button
          variant="outlined"
          aria-pressed={showEnded}
          onClick={() => setParams(showEnded ? {} : { ended: '1' }, { replace: true })}
        >
          {showEnded ? 'Hide inactive tokens' : 'Show inactive tokens'}
        </Button>
      </Box>
      {error !== undefined && shown === undefined ? (
        <ErrorNotice what="Could not load API tokens." error={error} retry={refetch} />
      ) : shown === undefined ? (
        <Loading label="Loading API tokens" shape="rows" />
      ) : (
        <List tokens={shown} showEnded={showEnded} changed={refetch} />
      )}
      {isCreating ? <NewTokenDialog close={() => setCreating(false)} onCreated={refetch} /> : null}
    </>
  );
}

interface ListProps {
  readonly tokens: readonly TokenItemFragment[];
  readonly showEnded: boolean;
  readonly changed: () => void;
}

function List({ tokens, showEnded, changed }: ListProps) {
  if (tokens.length === 0)
    return (
      <Paper>
        <EmptyNotice title={showEnded ? 'No API tokens yet' : 'No active API tokens'}>
          Scripts, bots and monitoring systems authenticate with a token instead of signing in:{' '}
          <code>Authorization: Bearer tarsy_…</code>
        </EmptyNotice>
      </Paper>
    );
  return (
    <Paper component="ul" aria-label="API tokens" sx={dividedList}>
      {tokens.map((token) => (
        <TokenItem key={token.id} token={token} changed={changed} />
      ))}
    </Paper>
  );
}
