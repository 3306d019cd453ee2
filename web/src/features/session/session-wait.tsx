import Alert from '@mui/material/Alert';
import { RunNowButton } from '../../components/run-now-button.tsx';
import { Ago } from '../../components/time.tsx';
import { WAITS_FOR } from '../../components/waits.ts';
import type { WaitingFragment } from '../../graphql/gen/documents.ts';
import type { SessionDetail } from './session-detail.ts';

/** Shows why the session waits; responders can let a queued session run now. */
export function SessionWait({ session, waiting }: { session: SessionDetail; waiting: WaitingFragment }) {
  return (
    <Alert
      severity={waiting.reason === 'SLOT' || waiting.reason === 'GROUP_WAIT' ? 'info' : 'warning'}
      variant="outlined"
      action={
        session.status === 'PENDING' ? (
          <RunNowButton sessionId={session.id} name={session.title} />
        ) : undefined
      }
      sx={{ mb: 2, overflowWrap: 'anywhere', bgcolor: 'background.paper' }}
    >
      <b>Waiting for {WAITS_FOR[waiting.reason]}.</b> {waiting.message} The wait started{' '}
      <Ago time={waiting.since} />.
    </Alert>
  );
}
