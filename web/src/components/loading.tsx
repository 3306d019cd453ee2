import Box from '@mui/material/Box';
import { keyframes } from '@mui/material/styles';

const pulse = keyframes`50% { opacity: 0.4; }`;

/**
 * Placeholder for content that is loading. `height` (px) approximates the content's height, `label` names the
 * content.
 */
export function Loading({ label, height }: { label: string; height: number }) {
  return (
    <Box role="status" aria-label={label} aria-busy="true">
      <Box sx={{ ...place, height }} />
    </Box>
  );
}

const place = {
  borderRadius: 1,
  bgcolor: 'color-mix(in srgb, var(--mui-palette-text-primary) 11%, transparent)',
  animation: `${pulse} 2s ease-in-out 0.5s infinite`,
} as const;
