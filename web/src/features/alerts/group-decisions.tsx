import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import { useMemo } from 'react';
import { CursorPager, useCursorPages } from '../../components/cursor-pager.tsx';
import { dividedList } from '../../components/divided-list.ts';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { StatusDot } from '../../components/status-chip.tsx';
import { Ago } from '../../components/time.tsx';
import { GroupDecisionsDocument } from '../../graphql/gen/lazy-documents.ts';
import { useLiveQuery } from '../../graphql/use-live-query.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { type FoldedDecision, foldDecisions } from './fold-decisions.ts';
import { outcomeLook } from './outcome.ts';
import { Section } from './section.tsx';

/** Lists the group's intake decisions and reasons, newest first. Equal decisions about one delivery appear once. */
export function GroupDecisions({ id, version }: { id: string; version: number }) {
  const pages = useCursorPages();
  const { data, error, refetch } = useLiveQuery(GroupDecisionsDocument, { id, after: pages.after }, version);
  const page = data?.alertGroup?.decisions;
  const folded = useMemo(() => foldDecisions(page?.nodes ?? []), [page]);
  return (
    <Section title="Decisions">
      {page === undefined ? (
        error === undefined ? (
          <Loading label="Loading decisions" height={160} />
        ) : (
          <ErrorNotice what="Could not load decisions." error={error} retry={refetch} />
        )
      ) : (
        <>
          <Paper component="ol" sx={dividedList}>
            {folded.map((decision) => (
              <DecisionItem key={decision.id} decision={decision} />
            ))}
          </Paper>
          <CursorPager
            label="Decision pages"
            pages={pages}
            info={page.pageInfo}
            labels={{ previous: 'Newer', next: 'Older' }}
          />
        </>
      )}
    </Section>
  );
}

function DecisionItem({ decision }: { decision: FoldedDecision }) {
  const { tone, label } = outcomeLook[decision.outcome];
  return (
    <Box component="li" sx={item}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.75 }}>
        <StatusDot tone={tone === 'running' ? 'done' : tone} />
        <Box component="span" sx={{ fontWeight: 600 }}>
          {label}
        </Box>
        <Box component="span" sx={{ ml: 'auto', color: 'text.secondary' }}>
          <Ago time={decision.at} />
        </Box>
      </Box>
      <Box sx={words}>{decision.reason}</Box>
      <Box sx={[words, { color: 'text.secondary' }]}>
        <AlertNames decision={decision} />
        {decision.silence === null ? null : (
          <>
            {' '}
            <Link component={RouterLink} to="/alerts/silences">
              Silence
            </Link>{' '}
            by {decision.silence.createdBy}: {decision.silence.comment}
          </>
        )}
        {decision.session === null ? null : (
          <>
            {' '}
            <Link component={RouterLink} to={sessionPath(decision.session.id)}>
              Investigation
            </Link>
          </>
        )}
      </Box>
    </Box>
  );
}

const MAX_NAMED = 3;

function AlertNames({ decision: { titles, alerts } }: { decision: FoldedDecision }) {
  if (alerts === 0) return null;
  const rest = titles.length - MAX_NAMED;
  const named = titles.slice(0, MAX_NAMED).join(', ');
  return (
    <span>
      {alerts === 1 ? '' : `${alerts} alerts: `}
      {rest > 0 ? `${named} and ${rest} more` : named}
      {'.'}
    </span>
  );
}

const item = { px: 1.5, py: 1, fontSize: '0.8125rem' } as const;
const words = { ml: 1.75, mt: 0.25, overflowWrap: 'anywhere' } as const;
