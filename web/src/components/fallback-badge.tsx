import Box from '@mui/material/Box';

/** A badge that names the configured model if a fallback model replaced it. */
export function FallbackBadge({ original }: { original: string | null }) {
  if (original === null) return null;
  return (
    <Box component="span" sx={badge} title={`${original} was unavailable`}>
      instead of {original}
    </Box>
  );
}

const badge = {
  display: 'inline-block',
  flexShrink: 0,
  ml: 0.75,
  px: 0.75,
  borderRadius: 4,
  fontSize: '0.75rem',
  fontWeight: 600,
  color: 'status.late',
  border: '1px solid',
  borderColor: 'status.late',
} as const;
