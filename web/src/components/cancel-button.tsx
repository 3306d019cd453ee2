import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { useState } from 'react';
import { useMutation } from 'urql';
import { CancelSessionDocument } from '../graphql/gen/documents.ts';
import { StopIcon } from './icons.tsx';
import { errorText } from './notice.tsx';

/** Cancels a session, after asking: at 3 a.m. a click may miss. `name` tells which one. */
export function CancelButton({ sessionId, name }: { sessionId: string; name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        color="error"
        variant="outlined"
        startIcon={<StopIcon />}
        aria-label={`Cancel ${name}`}
        onClick={() => setOpen(true)}
      >
        Cancel
      </Button>
      {open ? <CancelDialog sessionId={sessionId} name={name} close={() => setOpen(false)} /> : null}
    </>
  );
}

function CancelDialog(props: { sessionId: string; name: string; close: () => void }) {
  const [{ fetching, data, error }, cancel] = useMutation(CancelSessionDocument);
  const refused = data !== undefined && data.cancelSession.__typename !== 'CancelSessionSuccess';
  const confirm = async (): Promise<void> => {
    const result = await cancel({ id: props.sessionId });
    if (result.data?.cancelSession.__typename === 'CancelSessionSuccess') props.close();
  };
  return (
    <Dialog open onClose={props.close} aria-labelledby="cancel-title">
      <DialogTitle id="cancel-title">Cancel this investigation?</DialogTitle>
      <DialogContent>
        <DialogContentText sx={{ overflowWrap: 'anywhere' }}>{props.name}</DialogContentText>
        <DialogContentText sx={{ mt: 1 }}>What it has found so far is kept.</DialogContentText>
        {refused && 'message' in data.cancelSession ? (
          <Alert severity="warning" sx={{ mt: 2 }}>
            {data.cancelSession.message}
          </Alert>
        ) : null}
        {error ? (
          <Alert severity="error" sx={{ mt: 2 }}>
            Not cancelled. {errorText(error)}
          </Alert>
        ) : null}
      </DialogContent>
      <DialogActions>
        <Button onClick={props.close}>{refused ? 'Close' : 'Let it run'}</Button>
        <Button
          color="error"
          variant="contained"
          loading={fetching}
          disabled={refused}
          onClick={() => void confirm()}
        >
          Cancel investigation
        </Button>
      </DialogActions>
    </Dialog>
  );
}
