import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { CostText } from '../../components/cost-text.tsx';
import { dividedList } from '../../components/divided-list.ts';
import { Ago } from '../../components/time.tsx';
import type { UsagePageQuery } from '../../graphql/gen/documents.ts';
import { formatCount } from '../../lib/format.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { OutcomeChip } from '../report/outcome-chip.tsx';

export function TopSessions({ sessions }: { sessions: UsagePageQuery['usage']['top'] }) {
  return (
    <Paper component="section" aria-labelledby="usage-top" sx={{ p: 1.5 }}>
      <Typography variant="h2" id="usage-top" sx={{ mb: 0.5 }}>
        Most expensive sessions
      </Typography>
      <Box component="ol" aria-labelledby="usage-top" sx={dividedList}>
        {sessions.map((session) => {
          const { id, title, alertType, createdAt, tokenUsage, cost } = session;
          return (
            <Box component="li" key={id} sx={row}>
              <Box sx={{ flex: '1 1 260px', minWidth: 0, overflowWrap: 'anywhere' }}>
                <Link component={RouterLink} to={sessionPath(id)} underline="hover">
                  {title}
                </Link>
                <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
                  {alertType} · <Ago time={createdAt} />
                </Box>
              </Box>
              <OutcomeChip session={session} />
              <Box sx={{ ...figure, width: 96 }}>{formatCount(tokenUsage.totalTokens)} tokens</Box>
              <Box sx={{ ...figure, width: 84, fontWeight: 650 }}>
                <CostText cost={cost} />
              </Box>
            </Box>
          );
        })}
      </Box>
    </Paper>
  );
}

const row = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1.5,
  rowGap: 0.25,
  py: 0.75,
  fontSize: '0.875rem',
} as const;
const figure = { textAlign: 'right', whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' } as const;
