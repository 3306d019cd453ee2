import Button from '@mui/material/Button';
import { useState } from 'react';
import { ViewerDocument } from '../graphql/gen/documents.ts';
import { useQuery } from '../graphql/use-query.ts';
import { signOut } from '../lib/sign-out.ts';
import { Page } from './app-shell.tsx';
import { EmptyNotice } from './notice.tsx';

/** True if the user is signed in but has no role. */
export function useHasNoRole(): boolean {
  const [{ error }] = useQuery({ query: ViewerDocument });
  return error?.graphQLErrors.some(({ extensions }) => extensions.code === 'FORBIDDEN') ?? false;
}

export function NoRole() {
  const [cannotSignOut, setCannotSignOut] = useState(false);
  return (
    <Page>
      <EmptyNotice title="You are signed in, but have no role here">
        <p>
          Ask an operator of this server for a role. Roles are configured under <code>access.roles</code>.
        </p>
        {cannotSignOut ? (
          <p role="status">Sign out where you signed in: this server cannot do it.</p>
        ) : (
          <Button
            variant="outlined"
            onClick={() => void signOut().then((signedOut) => setCannotSignOut(!signedOut))}
          >
            Sign in as another user
          </Button>
        )}
      </EmptyNotice>
    </Page>
  );
}
