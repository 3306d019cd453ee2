import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { CompareSessionsQuery } from '../../graphql/gen/documents.ts';
import { CLAIM_KINDS, CLAIM_MARKS } from '../report/claim-marks.ts';

type Comparison = CompareSessionsQuery['compareSessions'];
type Row = Comparison['claims'][number];

/** Lists the claims of compared sessions, those about the same side by side. */
export function ComparedClaims({
  sessions,
  rows,
}: {
  sessions: Comparison['sessions'];
  rows: readonly Row[];
}) {
  const shared = rows.filter(({ claims }) => claims.every((claim) => claim !== null));
  const single = rows.filter(({ claims }) => claims.some((claim) => claim === null));
  if (rows.length === 0)
    return <Box sx={{ color: 'text.secondary' }}>None of these sessions has claims.</Box>;
  return (
    <>
      <Claims title="Claims that all of them make" rows={shared} sessions={sessions} />
      <Claims title="Claims that only some of them make" rows={single} sessions={sessions} />
    </>
  );
}

function Claims({
  title,
  rows,
  sessions,
}: {
  title: string;
  rows: readonly Row[];
  sessions: Comparison['sessions'];
}) {
  if (rows.length === 0) return null;
  return (
    <Paper component="section" aria-label={title} sx={{ p: 1.5 }}>
      <Typography variant="h2" sx={{ mb: 1 }}>
        {title}
      </Typography>
      <Box component="ol" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the claims of finished sessions do not change
          <Box component="li" key={index} sx={[line, { gridTemplateColumns: columns(sessions.length) }]}>
            {row.claims.map((claim, at) => (
              <Box key={sessions[at]!.id} sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
                {claim === null ? (
                  <Box sx={{ color: 'text.secondary', fontStyle: 'italic' }}>Not claimed.</Box>
                ) : (
                  <Claim claim={claim} />
                )}
              </Box>
            ))}
          </Box>
        ))}
      </Box>
    </Paper>
  );
}

function Claim({ claim: { kind, text, status, problem } }: { claim: NonNullable<Row['claims'][number]> }) {
  const mark = CLAIM_MARKS[status];
  return (
    <>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 1, fontSize: '0.8125rem', fontWeight: 600 }}>
        <Box component="span" sx={{ color: 'text.secondary' }}>
          {CLAIM_KINDS[kind]}
        </Box>
        {mark === null ? null : (
          <Box
            component="span"
            sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.25, color: mark.tone }}
          >
            <mark.Icon sx={{ fontSize: 15 }} /> {mark.label}
          </Box>
        )}
      </Box>
      {text}
      {problem === null ? null : <Box sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>{problem}</Box>}
    </>
  );
}

const columns = (count: number) => `repeat(${count}, minmax(0, 1fr))`;
const line = {
  display: 'grid',
  columnGap: 2,
  py: 1,
  fontSize: '0.875rem',
  '& + &': { borderTop: '1px solid', borderColor: 'divider' },
} as const;
