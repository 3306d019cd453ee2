import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useCallback, useState } from 'react';
import { Page } from '../../components/app-shell.tsx';
import { dividedList } from '../../components/divided-list.ts';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { type ApprovalItemFragment, PendingApprovalsDocument } from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { ApprovalItem } from './approval-item.tsx';
import { ApprovalResult } from './approval-result.tsx';
import { useApproval } from './use-approval.ts';
import { useApprovalsChanged } from './use-approvals-changed.ts';

/** Lists the tool calls that wait for approval, the longest wait first. */
export default function ApprovalsPage() {
  useDocumentTitle('Approvals');
  return (
    <Page>
      <Typography variant="h1" sx={{ mb: 0.5 }}>
        Approvals
      </Typography>
      <Box sx={{ mb: 1.5, color: 'text.secondary', fontSize: '0.8125rem', maxWidth: '72ch' }}>
        Tool calls that need approval. An approved call runs once, exactly as shown. The investigation waits
        for the decision without using a slot.
      </Box>
      <WaitingCalls />
    </Page>
  );
}

function WaitingCalls() {
  const [{ data, error }, execute] = useQuery({
    query: PendingApprovalsDocument,
    requestPolicy: 'cache-and-network',
  });
  const refetch = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  useApprovalsChanged(refetch);
  const waiting = data?.pendingApprovals;
  if (waiting === undefined)
    return error === undefined ? (
      <Loading label="Loading approvals" shape="cards" />
    ) : (
      <ErrorNotice what="Could not load approvals." error={error} retry={refetch} />
    );
  return <StableList waiting={waiting} changed={refetch} />;
}

/**
 * Keeps each call at its position while the page is open, even after its decision. Otherwise the next call could move
 * under the viewer's click.
 */
function StableList({ waiting, changed }: { waiting: readonly ApprovalItemFragment[]; changed: () => void }) {
  const [known, setKnown] = useState(waiting);
  const added = waiting.filter(({ id }) => !known.some((one) => one.id === id));
  if (added.length > 0) setKnown([...known, ...added]);
  const pending = new Map(waiting.map((one) => [one.id, one]));
  return (
    <>
      {known.length === 0 ? null : (
        <Paper component="ul" aria-label="Tool calls waiting for approval" sx={[dividedList, { mb: 1.5 }]}>
          {known.map((approval) => {
            const now = pending.get(approval.id);
            return (
              <Box key={approval.id} component="li" sx={{ p: 1.5, minWidth: 0 }}>
                {now === undefined ? (
                  <DecidedCall approval={approval} />
                ) : (
                  <ApprovalItem approval={now} changed={changed} showsSession />
                )}
              </Box>
            );
          })}
        </Paper>
      )}
      {waiting.length > 0 ? null : (
        <Paper>
          <EmptyNotice title="No calls waiting for approval">
            Past decisions are in the timeline of each investigation.
          </EmptyNotice>
        </Paper>
      )}
    </>
  );
}

/** Shows a call that no longer waits, with its outcome. */
function DecidedCall({ approval: last }: { approval: ApprovalItemFragment }) {
  const { approval, refetch } = useApproval(last.id);
  const current = approval ?? last;
  return (
    <ApprovalItem approval={current} changed={refetch} showsSession isOver>
      <ApprovalResult approval={current} />
    </ApprovalItem>
  );
}
