import Box from '@mui/material/Box';
import type { WaitingFragment } from '../graphql/gen/documents.ts';
import { WaitIcon } from './icons.tsx';
import { Ago } from './time.tsx';

/** Shows why a session waits, and since when. */
export function WaitNote({ waiting }: { waiting: WaitingFragment }) {
  return (
    <Box sx={note}>
      <WaitIcon sx={{ fontSize: 15, flex: 'none', mt: '2px' }} />
      <Box component="span" sx={{ minWidth: 0 }}>
        {waiting.message}{' '}
        <Box component="span" sx={{ color: 'text.secondary' }}>
          Waiting since <Ago time={waiting.since} />.
        </Box>
      </Box>
    </Box>
  );
}

const note = {
  display: 'flex',
  gap: 0.75,
  fontSize: '0.8125rem',
  color: 'status.late',
  overflowWrap: 'anywhere',
} as const;
