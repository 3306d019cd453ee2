import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { useMutation } from 'urql';
import { errorText } from '../../components/notice.tsx';
import { EndSilenceDocument, type SilenceItemFragment } from '../../graphql/gen/documents.ts';
import { mono } from '../../theme.ts';

interface Props {
  readonly silence: SilenceItemFragment;
  readonly close: () => void;
  readonly ended: () => void;
}

/** Ends a silence early, after asking: at 3 a.m. a click may miss. */
export function EndSilenceDialog({ silence, close, ended }: Props) {
  const [{ fetching, data, error }, end] = useMutation(EndSilenceDocument);
  const result = data?.endSilence;
  const refusal = result !== undefined && 'message' in result ? result.message : error && errorText(error);
  const confirm = async (): Promise<void> => {
    const answer = await end({ id: silence.id });
    if (answer.data?.endSilence.__typename === 'EndSilenceSuccess') ended();
  };
  return (
    <Dialog open onClose={close} aria-labelledby="end-silence-title">
      <DialogTitle id="end-silence-title">End this silence?</DialogTitle>
      <DialogContent>
        <DialogContentText sx={{ fontFamily: mono, fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>
          {silence.matchers.join(', ')}
        </DialogContentText>
        <DialogContentText sx={{ mt: 1 }}>
          Groups that still fire are decided on within seconds, and may be investigated.
        </DialogContentText>
        {refusal === undefined ? null : (
          <Alert severity="warning" sx={{ mt: 2 }}>
            {refusal}
          </Alert>
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={close}>Let it hold</Button>
        <Button variant="contained" loading={fetching} onClick={() => void confirm()}>
          End it now
        </Button>
      </DialogActions>
    </Dialog>
  );
}
