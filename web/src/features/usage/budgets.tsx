import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { UsagePageQuery } from '../../graphql/gen/documents.ts';
import { formatUsd } from '../../lib/cost.ts';
import { formatAbsolute, formatCount } from '../../lib/format.ts';
import { useTimeZone } from '../../lib/time-zone.ts';

type Budget = UsagePageQuery['budgets'][number];

const DEGRADATIONS: Readonly<Record<string, string>> = {
  CHEAPER_MODEL: 'agents use a cheaper model',
  FEWER_ITERATIONS: 'agents get half of their iterations',
  CONCLUDE: 'agents conclude early',
  QUEUE: 'investigations paused',
};

export function Budgets({ budgets }: { budgets: readonly Budget[] }) {
  const zone = useTimeZone();
  if (budgets.length === 0) return null;
  return (
    <Paper component="section" aria-labelledby="usage-budgets" sx={{ p: 1.5, mb: 2 }}>
      <Typography variant="h2" id="usage-budgets" sx={{ mb: 0.5 }}>
        Budgets
      </Typography>
      <Box component="ul" sx={list}>
        {budgets.map((budget) => (
          <Box component="li" key={`${budget.name} ${budget.scope}`} sx={{ py: 0.75 }}>
            <Box sx={line}>
              <Box sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{budget.name}</Box>
              <Box sx={{ color: 'text.secondary', flex: 1, overflowWrap: 'anywhere' }}>{budget.scope}</Box>
              <Box>{usedOf(budget)}</Box>
            </Box>
            <Bar share={shareOf(budget)} />
            {budget.degradation === null ? null : (
              <Box sx={{ fontSize: '0.8125rem', color: 'status.failed' }}>
                Budget exhausted: {DEGRADATIONS[budget.degradation] ?? budget.degradation}
                {budget.periodEndsAt === null ? '.' : `, until ${formatAbsolute(budget.periodEndsAt, zone)}.`}
              </Box>
            )}
          </Box>
        ))}
      </Box>
    </Paper>
  );
}

function usedOf({ limitUsd, limitTokens, usedUsd, usedTokens }: Budget): string {
  const parts = [
    ...(limitUsd === null ? [] : [`${formatUsd(usedUsd)} of ${formatUsd(limitUsd)}`]),
    ...(limitTokens === null ? [] : [`${formatCount(usedTokens)} of ${formatCount(limitTokens)} tokens`]),
  ];
  return parts.join(', ');
}

function shareOf({ limitUsd, limitTokens, usedUsd, usedTokens }: Budget): number {
  return Math.max(
    limitUsd === null ? 0 : usedUsd / limitUsd,
    limitTokens === null ? 0 : usedTokens / limitTokens,
  );
}

/** Bar whose colour changes at 80 %, where agents are warned, and at 100 %. */
function Bar({ share }: { share: number }) {
  const tone = share >= 1 ? 'failed' : share >= 0.8 ? 'late' : 'done';
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      style={{ display: 'block', width: '100%', height: 4, margin: '3px 0' }}
    >
      <rect width="100" height="4" fill="var(--mui-palette-well)" />
      <rect width={100 * Math.min(1, share)} height="4" fill={`var(--mui-palette-status-${tone})`} />
    </svg>
  );
}

const list = { m: 0, p: 0, listStyle: 'none' } as const;
const line = { display: 'flex', flexWrap: 'wrap', columnGap: 1, fontSize: '0.875rem' } as const;
