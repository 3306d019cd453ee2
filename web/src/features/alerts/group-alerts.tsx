import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { useMemo } from 'react';
import { CursorPager, useCursorPages } from '../../components/cursor-pager.tsx';
import { dividedList } from '../../components/divided-list.ts';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { GroupAlertsDocument } from '../../graphql/gen/lazy-documents.ts';
import { useLiveQuery } from '../../graphql/use-live-query.ts';
import { AlertItem } from './alert-item.tsx';
import { LabelList } from './label-list.tsx';
import { commonLabels } from './labels.ts';
import { Section } from './section.tsx';

/** Lists a group's alerts, page by page: the labels common to the page first, then each alert's other labels. */
export function GroupAlerts({ id, version }: { id: string; version: number }) {
  const pages = useCursorPages();
  const { data, error, refetch } = useLiveQuery(GroupAlertsDocument, { id, after: pages.after }, version);
  const page = data?.alertGroup?.alerts;
  const common = useMemo(() => commonLabels(page?.nodes ?? []), [page]);
  const several = (page?.nodes.length ?? 0) > 1;
  return (
    <Section title="Alerts" count={page?.totalCount}>
      {page === undefined ? (
        error === undefined ? (
          <Loading label="Loading the group’s alerts" height={160} />
        ) : (
          <ErrorNotice what="Could not load the group’s alerts." error={error} retry={refetch} />
        )
      ) : (
        <>
          {several && Object.keys(common).length > 0 ? (
            <Box sx={{ mb: 1, fontSize: '0.8125rem' }}>
              <Box sx={{ mb: 0.5, color: 'text.secondary' }}>Common labels</Box>
              <LabelList labels={common} />
            </Box>
          ) : null}
          <Paper component="ul" aria-label="Alerts in this group" sx={dividedList}>
            {page.nodes.map((alert) => (
              <AlertItem key={alert.id} alert={alert} common={several ? common : {}} />
            ))}
          </Paper>
          <CursorPager
            label="Alert pages"
            pages={pages}
            info={page.pageInfo}
            labels={{ previous: 'Previous', next: 'Next' }}
          />
        </>
      )}
    </Section>
  );
}
