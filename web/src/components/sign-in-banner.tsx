import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useSignedOut } from '../graphql/sign-in-context.tsx';
import { leaveToSignIn } from '../lib/return-address.ts';

/**
 * Says that the sign-in has expired, and leads to a new one. It does not go there by itself: what is being read or
 * written would be gone. Who signs in elsewhere in this browser goes on here.
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
      You are no longer signed in: this page is not kept up to date. Signing in leads back here.
    </Alert>
  );
}
