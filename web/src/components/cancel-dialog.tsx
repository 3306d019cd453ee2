import DialogContentText from '@mui/material/DialogContentText';
import { useState } from 'react';
import { useMutation } from 'urql';
import { CancelSessionDocument } from '../graphql/gen/documents.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { refusalText } from './notice.tsx';
import { ReasonField } from './reason-field.tsx';

export default function CancelDialog(props: { sessionId: string; name: string; close: () => void }) {
  const [{ fetching, data, error }, cancel] = useMutation(CancelSessionDocument);
  const [reason, setReason] = useState('');
  const result = data?.cancelSession;
  const refusal = refusalText(result, error);
  const confirm = async (): Promise<void> => {
    const answer = await cancel({ id: props.sessionId, reason });
    if (answer.data?.cancelSession.__typename === 'CancelSessionSuccess') props.close();
  };
  return (
    <ConfirmDialog
      title="Cancel this investigation?"
      refusal={refusal === undefined ? undefined : `Not cancelled. ${refusal}`}
      no="Keep running"
      yes="Cancel investigation"
      color="error"
      sending={fetching}
      confirm={() => void confirm()}
      close={props.close}
    >
      <DialogContentText sx={{ overflowWrap: 'anywhere' }}>{props.name}</DialogContentText>
      <DialogContentText sx={{ mt: 1 }}>Findings so far are kept.</DialogContentText>
      <ReasonField reason={reason} change={setReason} />
    </ConfirmDialog>
  );
}
