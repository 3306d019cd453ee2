import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { SignedOutError } from '../graphql/sign-in.ts';
import { visuallyHidden } from '../lib/visually-hidden.ts';

interface EmptyNoticeProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** True if the notice is the whole page, so that its title is the heading of the page. */
  readonly isPage?: boolean;
}

/** Tells the viewer that there is nothing to show. `children` says what to do about it. */
export function EmptyNotice({ title, children, isPage = false }: EmptyNoticeProps) {
  return (
    <Box sx={{ py: 5, px: 2, textAlign: 'center', color: 'text.secondary' }}>
      <Typography variant="h2" component={isPage ? 'h1' : 'p'} sx={{ color: 'text.primary' }}>
        {title}
      </Typography>
      <Box sx={{ mt: 0.5, fontSize: '0.875rem' }}>{children}</Box>
    </Box>
  );
}

/** The heading of a page whose contents are not there yet, for screen readers. */
export function HiddenHeading({ children }: { children: ReactNode }) {
  return (
    <Box component="h1" sx={visuallyHidden}>
      {children}
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
