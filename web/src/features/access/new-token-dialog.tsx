import Dialog from '@mui/material/Dialog';
import DialogTitle from '@mui/material/DialogTitle';
import { useState } from 'react';
import { TokenForm } from './token-form.tsx';
import { type MadeToken, TokenSecret } from './token-secret.tsx';

/** Creates a token, then shows its secret, which cannot be shown again. */
export function NewTokenDialog({ close, made }: { close: () => void; made: () => void }) {
  const [token, setToken] = useState<MadeToken | null>(null);
  const take = (next: MadeToken): void => {
    setToken(next);
    made();
  };
  return (
    <Dialog
      open
      // A stray key or click must not close the secret.
      onClose={token === null ? close : undefined}
      fullWidth
      maxWidth="sm"
      aria-labelledby="new-token-title"
    >
      <DialogTitle id="new-token-title">{token === null ? 'New token' : 'The new token'}</DialogTitle>
      {token === null ? <TokenForm close={close} made={take} /> : <TokenSecret made={token} close={close} />}
    </Dialog>
  );
}
