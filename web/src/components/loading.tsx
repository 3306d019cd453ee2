import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';

/** The place of something that is being read, as high as it will be about; `label` says what it is. */
export function Loading({ label, height }: { label: string; height: number }) {
  return (
    <Box role="status" aria-label={label} aria-busy="true">
      <Skeleton variant="rounded" height={height} />
    </Box>
  );
}
