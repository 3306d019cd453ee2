import Box from '@mui/material/Box';
import { Page } from './app-shell.tsx';
import { Loading, type Shape } from './loading.tsx';

/** The outline of a page whose script is loading: its heading and its contents. */
export function PageSkeleton({ shape }: { shape: Shape }) {
  return (
    <Page>
      <Box aria-hidden="true" sx={{ width: 220, maxWidth: '60%', mb: 2 }}>
        <Loading label="" height={28} />
      </Box>
      <Loading label="Loading page" shape={shape} />
    </Page>
  );
}
