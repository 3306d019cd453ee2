import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { StatusDot } from '../../components/status-chip.tsx';
import { Ago } from '../../components/time.tsx';
import { SimilarSessionsDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { comparePath, sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { OutcomeChip } from '../report/outcome-chip.tsx';
import { RATINGS } from '../review/review-labels.ts';

/** Lists similar finished investigations with their outcomes; renders nothing if there are none. */
export function SimilarSessions({ sessionId }: { sessionId: string }) {
  const [{ data }] = useQuery({ query: SimilarSessionsDocument, variables: { id: sessionId } });
  const similar = data?.session?.similar ?? [];
  if (similar.length === 0) return null;
  return (
    <Paper component="section" aria-label="Similar sessions" sx={{ p: 1.5 }}>
      <Typography variant="h2" sx={{ mb: 1 }}>
        Similar sessions
      </Typography>
      <Box
        component="ul"
        sx={{ m: 0, p: 0, listStyle: 'none', fontSize: '0.8125rem', display: 'grid', rowGap: 1 }}
      >
        {similar.map(({ session, similarity, reason }) => {
          const rating = session.review?.rating ? RATINGS[session.review.rating] : null;
          return (
            <Box component="li" key={session.id} sx={{ overflowWrap: 'anywhere' }}>
              <Link component={RouterLink} to={sessionPath(session.id)}>
                {session.title}
              </Link>
              <Box sx={facts}>
                <OutcomeChip session={session} />
                {rating === null ? null : (
                  <Box component="span" sx={rated}>
                    <StatusDot tone={rating.tone} /> <span>{rating.label}</span>
                  </Box>
                )}
                <span title={reason}>{Math.round(similarity * 100)} % similar</span>
                <Ago time={session.createdAt} />
                <Link
                  component={RouterLink}
                  to={comparePath([sessionId, session.id])}
                  aria-label={`Compare with ${session.title}`}
                >
                  Compare
                </Link>
              </Box>
            </Box>
          );
        })}
      </Box>
    </Paper>
  );
}

const facts = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1,
  rowGap: 0.25,
  color: 'text.secondary',
} as const;
const rated = { display: 'inline-flex', alignItems: 'center', gap: 0.5 } as const;
