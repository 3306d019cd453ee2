import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useSignedOut } from '../graphql/sign-in-context.tsx';
import { leaveToSignIn } from '../lib/return-address.ts';

/**
 * Reports an expired sign-in and offers a new one. Does not redirect by itself, because unsent input would be
 * lost. Disappears too if the viewer signs in through another tab of this browser.
 */
export function SignInBanner() {
  if (!useSignedOut()) return null;
  return (
    <Alert
      severity="warning"
      square
      action={
        <Button color="inherit" variant="outlined" onClick={leaveToSignIn} sx={{ whiteSpace: 'nowrap' }}>
          Sign in
        </Button>
      }
    >
      You are signed out, and this page no longer updates. You return here after signing in.
    </Alert>
  );
}
