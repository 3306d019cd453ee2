import DialogContentText from '@mui/material/DialogContentText';
import { useMutation } from 'urql';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { refusalText } from '../../components/notice.tsx';
import type { TokenItemFragment } from '../../graphql/gen/documents.ts';
import { RevokeApiTokenDocument } from '../../graphql/gen/lazy-documents.ts';

interface Props {
  readonly token: TokenItemFragment;
  readonly close: () => void;
  readonly revoked: () => void;
}

/** Revokes a token permanently, after a confirmation. */
export function RevokeTokenDialog({ token, close, revoked }: Props) {
  const [{ fetching, data, error }, revoke] = useMutation(RevokeApiTokenDocument);
  const result = data?.revokeApiToken;
  const refusal = refusalText(result, error);
  const confirm = async (): Promise<void> => {
    const answer = await revoke({ id: token.id });
    if (answer.data?.revokeApiToken.__typename === 'RevokeApiTokenSuccess') revoked();
  };
  return (
    <ConfirmDialog
      title="Revoke this token?"
      refusal={refusal}
      no="Keep token"
      yes="Revoke token"
      color="error"
      sending={fetching}
      confirm={() => void confirm()}
      close={close}
    >
      <DialogContentText sx={{ overflowWrap: 'anywhere' }}>
        {token.name} ({token.prefix}…)
      </DialogContentText>
      <DialogContentText sx={{ mt: 1 }}>
        Clients that use this token lose access at once. Open streams end within a second. You cannot undo
        this.
      </DialogContentText>
    </ConfirmDialog>
  );
}
