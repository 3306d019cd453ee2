import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import { CodeBlock } from '../../components/code-block.tsx';
import type { CreatedToken } from './new-token-dialog.tsx';

/** Shows the secret of a new token. */
export function TokenSecret({
  created: { token, secret },
  close,
}: {
  created: CreatedToken;
  close: () => void;
}) {
  return (
    <>
      <DialogContent sx={{ display: 'grid', gap: 2 }}>
        <Alert severity="warning" variant="outlined">
          Copy it now: it is shown this once, and nobody can look it up later.
        </Alert>
        <CodeBlock label={`Token ${token.name}`} text={secret} />
        <Box sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>
          Programs show it as <code>Authorization: Bearer …</code>; <code>npm run alert</code> takes it from{' '}
          <code>TARSY_TOKEN</code>.
        </Box>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={close}>
          I have copied it
        </Button>
      </DialogActions>
    </>
  );
}
