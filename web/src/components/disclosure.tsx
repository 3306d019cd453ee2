import Box from '@mui/material/Box';
import { type ReactNode, useId } from 'react';
import { useOpen } from '../lib/open-state.ts';
import { ChevronIcon } from './icons.tsx';

interface Props {
  readonly summary: ReactNode;
  /** Shown below the summary while the section is closed. */
  readonly preview?: ReactNode;
  readonly children: ReactNode;
  readonly defaultOpen?: boolean;
  /** Key under which the page remembers if the section is open. */
  readonly stateKey?: string;
}

/** A section that viewers open and close. Renders its content only while open, because a page may have thousands. */
export function Disclosure({ summary, preview, children, defaultOpen = false, stateKey }: Props) {
  const [open, setOpen] = useOpen(stateKey, defaultOpen);
  const id = useId();
  return (
    <Box sx={{ minWidth: 0 }}>
      <Box
        component="button"
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        sx={line}
      >
        <ChevronIcon
          sx={{
            fontSize: 14,
            flex: 'none',
            color: 'text.secondary',
            transform: open ? 'rotate(90deg)' : 'none',
          }}
        />
        {summary}
      </Box>
      {open ? (
        <Box id={id} sx={{ mt: 0.75 }}>
          {children}
        </Box>
      ) : (
        preview
      )}
    </Box>
  );
}

const line = {
  display: 'flex',
  alignItems: 'center',
  gap: 0.75,
  width: '100%',
  minWidth: 0,
  minHeight: 24, // the smallest size that is easy to hit
  p: 0,
  border: 0,
  borderRadius: 0.5,
  font: 'inherit',
  color: 'inherit',
  textAlign: 'left',
  background: 'none',
  cursor: 'pointer',
} as const;
