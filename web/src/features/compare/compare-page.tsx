import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Page } from '../../components/app-shell.tsx';
import { CostText } from '../../components/cost-text.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { StatusChip } from '../../components/status-chip.tsx';
import { Ago, Duration } from '../../components/time.tsx';
import type { CompareSessionsQuery } from '../../graphql/gen/documents.ts';
import { CompareSessionsDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { plainPreview } from '../../lib/data-text.ts';
import { formatCount } from '../../lib/format.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink, useSearchParams } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { percent } from '../report/report-text.ts';
import { VerdictChip } from '../report/verdict.tsx';
import { RATINGS } from '../review/review-labels.ts';
import { ComparedClaims } from './compared-claims.tsx';

type Session = CompareSessionsQuery['compareSessions']['sessions'][number];

/** Shows investigations side by side: verdicts, claims, calls and costs. The address names them: /compare?ids=a,b. */
export default function ComparePage() {
  useDocumentTitle('Compare investigations');
  const [params] = useSearchParams();
  const ids = (params.get('ids') ?? '').split(',').filter((id) => id !== '');
  return (
    <Page>
      <Link component={RouterLink} to="/" underline="hover" sx={{ fontSize: '0.8125rem' }}>
        ← Sessions
      </Link>
      <Typography variant="h1" sx={{ mt: 1, mb: 2 }}>
        Compare investigations
      </Typography>
      {ids.length < 2 ? (
        <EmptyNotice title="Nothing to compare">
          Select two finished sessions in the list, or open Compare beside a similar session.
        </EmptyNotice>
      ) : (
        <Comparison ids={ids} />
      )}
    </Page>
  );
}

function Comparison({ ids }: { ids: readonly string[] }) {
  const [{ data, error }, refetch] = useQuery({
    query: CompareSessionsDocument,
    variables: { ids: [...ids] },
  });
  // The answer to an unknown session has no data at all.
  if (!data?.compareSessions)
    return error ? (
      <ErrorNotice
        what="Could not compare these sessions."
        error={error}
        retry={() => refetch({ requestPolicy: 'network-only' })}
      />
    ) : (
      <Loading label="Loading the comparison" shape="pair" />
    );
  const { sessions, claims } = data.compareSessions;
  return (
    <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Box sx={{ overflowX: 'auto' }}>
        <Paper
          role="table"
          aria-label="Investigations"
          sx={{ minWidth: { xs: 150 * sessions.length, sm: 0 } }}
        >
          {FACTS.map(({ name, show }) => (
            <Box key={name} role="row" sx={rowOf(sessions.length)}>
              <Box role="rowheader" sx={heading}>
                {name}
              </Box>
              {sessions.map((session) => (
                <Box key={session.id} role="cell" sx={cell}>
                  {show(session)}
                </Box>
              ))}
            </Box>
          ))}
        </Paper>
      </Box>
      <ComparedClaims sessions={sessions} rows={claims} />
    </Box>
  );
}

const NONE = '–';

const FACTS: readonly { readonly name: string; readonly show: (session: Session) => ReactNode }[] = [
  {
    name: 'Session',
    show: ({ id, title, createdAt }) => (
      <>
        <Link component={RouterLink} to={sessionPath(id)}>
          {title}
        </Link>
        <Box sx={{ color: 'text.secondary' }}>
          <Ago time={createdAt} />
        </Box>
      </>
    ),
  },
  {
    name: 'Verdict',
    show: ({ report, status }) =>
      report === null ? (
        <StatusChip status={status} />
      ) : (
        <>
          <VerdictChip verdict={report.verdict} />
          <Box sx={{ mt: 0.25, color: 'text.secondary' }}>{percent(report.confidence)} confidence</Box>
        </>
      ),
  },
  {
    name: 'Conclusion',
    show: ({ report, executiveSummary }) =>
      plainPreview(report?.headline ?? executiveSummary ?? '', 400) || NONE,
  },
  { name: 'Rating', show: ({ review }) => (review?.rating ? RATINGS[review.rating].label : NONE) },
  {
    name: 'Duration',
    show: ({ startedAt, completedAt }) => <Duration start={startedAt} end={completedAt} />,
  },
  {
    name: 'Tool calls',
    show: ({ health: { toolCalls, failedToolCalls } }) =>
      failedToolCalls === 0 ? toolCalls : `${toolCalls}, ${failedToolCalls} failed`,
  },
  { name: 'Tokens', show: ({ tokenUsage }) => formatCount(tokenUsage.totalTokens) },
  { name: 'Cost', show: ({ cost }) => <CostText cost={cost} /> },
];

const rowOf = (count: number) =>
  ({
    display: 'grid',
    gridTemplateColumns: {
      xs: `repeat(${count}, minmax(0, 1fr))`,
      sm: `110px repeat(${count}, minmax(0, 1fr))`,
    },
    columnGap: 2,
    px: 1.5,
    py: 1,
    fontSize: '0.875rem',
    '& + &': { borderTop: '1px solid', borderColor: 'divider' },
  }) as const;
const heading = {
  gridColumn: { xs: '1 / -1', sm: 'auto' },
  fontSize: '0.8125rem',
  fontWeight: 600,
  color: 'text.secondary',
} as const;
const cell = { minWidth: 0, overflowWrap: 'anywhere', fontVariantNumeric: 'tabular-nums' } as const;
