import DialogContentText from '@mui/material/DialogContentText';
import { useState } from 'react';
import { useMutation } from 'urql';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { refusalText } from '../../components/notice.tsx';
import { ReasonField } from '../../components/reason-field.tsx';
import { CancelSessionsDocument } from '../../graphql/gen/documents.ts';

// Maximum number of sessions per request, as in the API.
const MAX_SESSIONS_PER_REQUEST = 100;

/** Asks for confirmation and a reason, then cancels the sessions. */
export default function CancelSelectedDialog({ ids, close }: { ids: readonly string[]; close: () => void }) {
  const [, cancel] = useMutation(CancelSessionsDocument);
  const [reason, setReason] = useState('');
  const [sending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const confirm = async (): Promise<void> => {
    setSending(true);
    const refusals = new Set<string>();
    for (let from = 0; from < ids.length; from += MAX_SESSIONS_PER_REQUEST) {
      const input = { ids: ids.slice(from, from + MAX_SESSIONS_PER_REQUEST), reason };
      const { data, error } = await cancel({ input });
      const result = data?.cancelSessions;
      if (result?.__typename === 'CancelSessionsSuccess')
        for (const { message } of result.refused) refusals.add(message);
      else refusals.add(refusalText(result, error) ?? 'No response from the server.');
    }
    setSending(false);
    if (refusals.size === 0) close();
    else setRefusal(`Some investigations were not cancelled. ${[...refusals].join(' ')}`);
  };
  return (
    <ConfirmDialog
      title={ids.length === 1 ? 'Cancel this investigation?' : `Cancel ${ids.length} investigations?`}
      refusal={refusal}
      no="Keep running"
      yes={ids.length === 1 ? 'Cancel investigation' : `Cancel ${ids.length} investigations`}
      color="error"
      sending={sending}
      confirm={() => void confirm()}
      close={close}
    >
      <DialogContentText>Findings so far are kept.</DialogContentText>
      <ReasonField reason={reason} change={setReason} />
    </ConfirmDialog>
  );
}
