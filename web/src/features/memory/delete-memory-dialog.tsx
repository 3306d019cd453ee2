import DialogContentText from '@mui/material/DialogContentText';
import { useMutation } from 'urql';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { refusalText } from '../../components/notice.tsx';
import type { MemoryItemFragment } from '../../graphql/gen/documents.ts';
import { DeleteMemoryDocument } from '../../graphql/gen/lazy-documents.ts';

interface Props {
  readonly memory: MemoryItemFragment;
  readonly close: () => void;
  readonly deleted: () => void;
}

export function DeleteMemoryDialog({ memory, close, deleted }: Props) {
  const [{ fetching, data, error }, remove] = useMutation(DeleteMemoryDocument);
  const result = data?.deleteMemory;
  const refusal = refusalText(result, error);
  const confirm = async (): Promise<void> => {
    const answer = await remove({ id: memory.id });
    if (answer.data?.deleteMemory.__typename === 'DeleteMemorySuccess') deleted();
  };
  return (
    <ConfirmDialog
      title="Delete this memory?"
      refusal={refusal}
      no="Keep memory"
      yes="Delete memory"
      color="error"
      sending={fetching}
      confirm={() => void confirm()}
      close={close}
    >
      <DialogContentText sx={{ overflowWrap: 'anywhere' }}>{memory.content}</DialogContentText>
      <DialogContentText sx={{ mt: 1 }}>
        You cannot undo this. To only hide the memory from agents, edit it and mark it as deprecated.
      </DialogContentText>
    </ConfirmDialog>
  );
}
