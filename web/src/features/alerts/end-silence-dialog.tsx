import DialogContentText from '@mui/material/DialogContentText';
import { useMutation } from 'urql';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { refusalText } from '../../components/notice.tsx';
import type { SilenceItemFragment } from '../../graphql/gen/documents.ts';
import { EndSilenceDocument } from '../../graphql/gen/lazy-documents.ts';
import { mono } from '../../theme.ts';

interface Props {
  readonly silence: SilenceItemFragment;
  readonly close: () => void;
  readonly ended: () => void;
}

export function EndSilenceDialog({ silence, close, ended }: Props) {
  const [{ fetching, data, error }, end] = useMutation(EndSilenceDocument);
  const result = data?.endSilence;
  const refusal = refusalText(result, error);
  const confirm = async (): Promise<void> => {
    const answer = await end({ id: silence.id });
    if (answer.data?.endSilence.__typename === 'EndSilenceSuccess') ended();
  };
  return (
    <ConfirmDialog
      title="End this silence?"
      refusal={refusal}
      no="Keep silence"
      yes="End silence"
      sending={fetching}
      confirm={() => void confirm()}
      close={close}
    >
      <DialogContentText sx={{ fontFamily: mono, fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>
        {silence.matchers.join(', ')}
      </DialogContentText>
      <DialogContentText sx={{ mt: 1 }}>
        TARSy reconsiders firing groups within seconds and may investigate them.
      </DialogContentText>
    </ConfirmDialog>
  );
}
