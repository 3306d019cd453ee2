import Paper from '@mui/material/Paper';
import type { ReactNode } from 'react';
import { Page } from '../../components/app-shell.tsx';
import { EmptyNotice } from '../../components/notice.tsx';
import { SystemHeading } from '../../components/system-heading.tsx';
import { useRights } from '../../components/use-rights.ts';

/** Shows a page to admins only; other users see the reason instead. */
export function AdminOnly({ title, children }: { title: string; children: ReactNode }) {
  const why = useRights().whyNot('ADMIN');
  return (
    <Page>
      <SystemHeading title={title} />
      {why === null ? (
        children
      ) : (
        <Paper>
          <EmptyNotice title="Only admins can open this page">{why}</EmptyNotice>
        </Paper>
      )}
    </Page>
  );
}
