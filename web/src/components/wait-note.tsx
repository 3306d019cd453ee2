import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import type { WaitingFragment } from '../graphql/gen/documents.ts';
import { WaitIcon } from './icons.tsx';
import { Ago } from './time.tsx';

/** Shows why a session waits, and since when, on one line of a wide screen. */
export function WaitNote({ waiting }: { waiting: WaitingFragment }) {
  return (
    <WaitLine title={waiting.message}>
      {waiting.message}{' '}
      <Box component="span" sx={{ color: 'text.secondary' }}>
        The wait started <Ago time={waiting.since} />.
      </Box>
    </WaitLine>
  );
}

/** A line with the sign of a wait. `title` is its whole text, which a narrow list may truncate. */
export function WaitLine({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <Box sx={note}>
      <WaitIcon sx={{ fontSize: 15, flex: 'none', mt: '2px' }} />
      <Box component="span" title={title} sx={text}>
        {children}
      </Box>
    </Box>
  );
}

const note = {
  display: 'flex',
  gap: 0.75,
  fontSize: '0.8125rem',
  color: 'status.late',
} as const;
const text = {
  minWidth: 0,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  overflowWrap: 'anywhere',
  whiteSpace: { md: 'nowrap' },
} as const;
