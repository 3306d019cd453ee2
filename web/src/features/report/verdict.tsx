import Box from '@mui/material/Box';
import type { VerdictKind } from '../../graphql/gen/documents.ts';
import type { StatusTone } from '../../theme.ts';

interface Look {
  readonly label: string;
  readonly tone: StatusTone;
  /** The meaning of the verdict in one sentence. */
  readonly means: string;
}

/** All verdicts, most urgent first. */
export const VERDICTS: Readonly<Record<VerdictKind, Look>> = {
  ACTION_REQUIRED: {
    label: 'Action required',
    tone: 'failed',
    means: 'Act now.',
  },
  ACTION_SUGGESTED: {
    label: 'Action suggested',
    tone: 'late',
    means: 'Action recommended, but not urgent.',
  },
  NO_ACTION: { label: 'No action', tone: 'done', means: 'No problem found, or the problem resolved itself.' },
  INCONCLUSIVE: { label: 'Inconclusive', tone: 'queued', means: 'Cause not found.' },
};

export const VERDICT_KINDS = Object.keys(VERDICTS) as readonly VerdictKind[];

/** The verdict of an investigation. An inconclusive one has a dashed border and no background. */
export function VerdictChip({ verdict }: { verdict: VerdictKind }) {
  const { label, tone, means } = VERDICTS[verdict];
  return (
    <Box
      component="span"
      title={means}
      sx={[
        chip,
        verdict === 'INCONCLUSIVE'
          ? { color: `status.${tone}`, borderStyle: 'dashed', borderColor: 'currentColor' }
          : { color: 'background.paper', bgcolor: `status.${tone}`, borderColor: 'transparent' },
      ]}
    >
      {label}
    </Box>
  );
}

const chip = {
  // Printers omit backgrounds by default, which would leave white text on white paper.
  printColorAdjust: 'exact',
  display: 'inline-block',
  flex: 'none',
  px: 1,
  py: 0.125,
  border: '1px solid',
  borderRadius: 1,
  fontSize: '0.75rem',
  fontWeight: 700,
  lineHeight: 1.5,
  whiteSpace: 'nowrap',
} as const;
