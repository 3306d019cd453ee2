import Box from '@mui/material/Box';
import type { AlertState, Severity } from '../graphql/gen/documents.ts';
import type { StatusTone } from '../theme.ts';

export const SEVERITIES: readonly Severity[] = ['CRITICAL', 'ERROR', 'WARNING', 'INFO', 'UNKNOWN'];

const TONES: Readonly<Record<Severity, StatusTone>> = {
  CRITICAL: 'failed',
  ERROR: 'failed',
  WARNING: 'late',
  INFO: 'queued',
  UNKNOWN: 'queued',
};

export const severityName = (severity: Severity): string =>
  `${severity.charAt(0)}${severity.slice(1).toLowerCase()}`;

/** Shows a severity in words and colour, or "Resolved". CRITICAL has a border. Only verdicts have a solid background. */
export function SeverityChip({ severity, state = 'FIRING' }: { severity: Severity; state?: AlertState }) {
  const tone = state === 'FIRING' ? TONES[severity] : 'done';
  const critical = state === 'FIRING' && severity === 'CRITICAL';
  return (
    <Box component="span" sx={[chip, tinted(tone), critical && { borderColor: 'currentColor' }]}>
      {state === 'FIRING' ? severityName(severity) : 'Resolved'}
    </Box>
  );
}

/** Shows a severity; nothing for UNKNOWN. */
export function KnownSeverity({ severity }: { severity: Severity }) {
  return severity === 'UNKNOWN' ? null : <SeverityChip severity={severity} />;
}

const tinted = (tone: StatusTone) => ({
  color: `status.${tone}`,
  bgcolor: `color-mix(in srgb, var(--mui-palette-status-${tone}) 12%, transparent)`,
});

const chip = {
  // Prints the background, because light text on it would otherwise disappear.
  printColorAdjust: 'exact',
  display: 'inline-block',
  px: 1,
  py: 0.125,
  border: '1px solid transparent',
  borderRadius: 4,
  fontSize: '0.75rem',
  fontWeight: 600,
  lineHeight: 1.5,
  whiteSpace: 'nowrap',
} as const;
