import Dialog from '@mui/material/Dialog';
import DialogTitle from '@mui/material/DialogTitle';
import { useState } from 'react';
import { TokenForm } from './token-form.tsx';
import { type MadeToken, TokenSecret } from './token-secret.tsx';

/** The form of a new token and, once it is made, the token itself: here and never again. */
export function NewTokenDialog({ close, made }: { close: () => void; made: () => void }) {
  const [token, setToken] = useState<MadeToken | null>(null);
  const take = (next: MadeToken): void => {
    setToken(next);
    made();
  };
  return (
    <Dialog
      open
      // A key or a click that misses must not take away what is shown once.
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
