import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useState } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { type CreatedToken, TokenForm } from './token-form.tsx';

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
      // A stray key or click must not close the dialog while it shows the secret.
      onClose={token === null ? close : undefined}
      fullWidth
      maxWidth="sm"
      aria-labelledby="new-token-title"
    >
      <DialogTitle id="new-token-title">{token === null ? 'New token' : 'Token created'}</DialogTitle>
      {token === null ? (
        <TokenForm close={close} onCreated={showSecret} />
      ) : (
        <TokenSecret created={token} close={close} />
      )}
    </Dialog>
  );
}

function TokenSecret({ created: { token, secret }, close }: { created: CreatedToken; close: () => void }) {
  return (
    <>
      <DialogContent sx={{ display: 'grid', gap: 2 }}>
        <Alert severity="warning" variant="outlined">
          Copy the token now. You cannot view it again.
        </Alert>
        <CodeBlock label={`Token ${token.name}`} text={secret} />
        <Box sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>
          Send it as <code>Authorization: Bearer …</code>. <code>npm run alert</code> reads it from{' '}
          <code>TARSY_TOKEN</code>.
        </Box>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={close}>
          Done
        </Button>
      </DialogActions>
    </>
  );
}
