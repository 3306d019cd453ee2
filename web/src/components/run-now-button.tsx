import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import { useMutation } from 'urql';
import { RunSessionNowDocument } from '../graphql/gen/documents.ts';
import { ActionButton } from './action-button.tsx';
import { refusalText } from './notice.tsx';

/**
 * A button that moves a waiting session to the front of the queue, past its budgets and the wait for more
 * alerts.
 */
export function RunNowButton({ sessionId, name }: { sessionId: string; name: string }) {
  const [{ fetching, data, error }, runNow] = useMutation(RunSessionNowDocument);
  const refusal = refusalText(data?.runSessionNow, error);
  return (
    <Box sx={{ display: 'inline-flex', alignItems: 'center', gap: 1 }}>
      <ActionButton
        needs="REVIEW"
        variant="outlined"
        loading={fetching}
        aria-label={`Run now: ${name}`}
        title="Starts in the next free slot, even if a budget is exhausted."
        onClick={() => void runNow({ id: sessionId })}
        sx={{ whiteSpace: 'nowrap' }}
      >
        Run now
      </ActionButton>
      {refusal === undefined ? null : (
        <Alert severity="warning" sx={{ py: 0 }}>
          {refusal}
        </Alert>
      )}
    </Box>
  );
}
