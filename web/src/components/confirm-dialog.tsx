import Alert from '@mui/material/Alert';
import Button, { type ButtonProps } from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { type ReactNode, useId } from 'react';

interface Props {
  readonly title: string;
  readonly children: ReactNode;
  /** Reason why the action failed; undefined if it has not failed. */
  readonly refusal: string | undefined;
  readonly no: string;
  readonly yes: string;
  readonly color?: ButtonProps['color'];
  readonly sending: boolean;
  readonly confirm: () => void;
  readonly close: () => void;
}

/** Asks for confirmation before a consequential action, because a click can miss. */
export function ConfirmDialog({ title, children, refusal, no, yes, color, sending, confirm, close }: Props) {
  const id = useId();
  return (
    <Dialog open onClose={close} aria-labelledby={id}>
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent>
        {children}
        {refusal === undefined ? null : (
          <Alert severity="warning" sx={{ mt: 2 }}>
            {refusal}
          </Alert>
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={close}>{no}</Button>
        <Button color={color ?? 'primary'} variant="contained" loading={sending} onClick={confirm}>
          {yes}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
