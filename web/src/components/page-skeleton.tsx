import Box from '@mui/material/Box';
import { Page } from './app-shell.tsx';
import { Loading } from './loading.tsx';

/** The outline of a page whose script is loading: its heading and its first blocks. */
export function PageSkeleton() {
  return (
    <Page>
      <Box sx={{ width: 220, maxWidth: '60%', mb: 2 }}>
        <Loading label="Loading page" height={28} />
      </Box>
      <Box aria-hidden="true" sx={{ display: 'grid', gap: 1.5 }}>
        {[56, 56, 180].map((height, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the blocks never change
          <Loading key={index} label="" height={height} />
        ))}
      </Box>
    </Page>
  );
}
