import Button from '@mui/material/Button';
import { useState } from 'react';
import { signOut } from '../lib/sign-out.ts';
import { Page } from './app-shell.tsx';
import { EmptyNotice } from './notice.tsx';

/** Tells a user without a role what to do. */
export default function NoRole() {
  const [cannotSignOut, setCannotSignOut] = useState(false);
  return (
    <Page>
      <EmptyNotice isPage title="You have no role on this server">
        <p>
          Ask an operator of this server to give you a role in <code>access.roles</code>.
        </p>
        {cannotSignOut ? (
          <p role="status">Sign out at your sign-in provider. This server cannot sign you out.</p>
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
