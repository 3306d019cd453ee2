import Dialog from '@mui/material/Dialog';
import DialogTitle from '@mui/material/DialogTitle';
import { useState } from 'react';
import { TokenForm } from './token-form.tsx';
import { TokenSecret } from './token-secret.tsx';

export interface CreatedToken {
  readonly token: TokenItemFragment;
  readonly secret: string;
}

/** Creates a token, then shows its secret, which cannot be shown again. */
export function NewTokenDialog({ close, onCreated }: { close: () => void; onCreated: () => void }) {
  const [token, setToken] = useState<CreatedToken | null>(null);
  const showSecret = (next: CreatedToken): void => {
    setToken(next);
    onCreated();
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
      {token === null ? (
        <TokenForm close={close} onCreated={showSecret} />
      ) : (
        <TokenSecret created={token} close={close} />
      )}
    </Dialog>
  );
}
