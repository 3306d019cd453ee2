import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { SignedOutError } from '../graphql/sign-in.ts';

/** Tells the viewer that there is nothing to show. `children` says what to do about it. */
export function EmptyNotice({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Box sx={{ py: 5, px: 2, textAlign: 'center', color: 'text.secondary' }}>
      <Typography variant="h2" component="p" sx={{ color: 'text.primary' }}>
        {title}
      </Typography>
      <Box sx={{ mt: 0.5, fontSize: '0.875rem' }}>{children}</Box>
    </Box>
  );
}

export function ErrorNotice({
  what,
  error,
  retry,
}: {
  what: string;
  error: CombinedError;
  retry?: () => void;
}) {
  return (
    <Alert
      severity="error"
      variant="outlined"
      action={
        retry === undefined ? undefined : (
          <Button color="inherit" onClick={retry} sx={{ whiteSpace: 'nowrap' }}>
            Try again
          </Button>
        )
      }
    >
      {what} {errorText(error)}
    </Alert>
  );
}

export function errorText(error: CombinedError): string {
  if (error.networkError instanceof SignedOutError) return error.networkError.message;
  if (error.networkError !== undefined) return 'The server is not responding.';
  return error.graphQLErrors.map((e) => e.message).join(' ') || error.message;
}

/** Returns why a mutation failed: the refusal in its result or a request error; undefined if it did not fail. */
export function refusalText(
  result: object | undefined,
  error: CombinedError | undefined,
): string | undefined {
  return result !== undefined && 'message' in result ? String(result.message) : error && errorText(error);
}
