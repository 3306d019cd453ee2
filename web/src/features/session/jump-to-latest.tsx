import Box from '@mui/material/Box';
import Fab from '@mui/material/Fab';
import { ArrowDownIcon } from '../../components/icons.tsx';

/** Takes the reader, who has scrolled away, back to what is being written. */
export function JumpToLatest({ jump }: { jump: () => void }) {
  return (
    <Box sx={place}>
      <Fab
        variant="extended"
        size="small"
        color="primary"
        onClick={jump}
        sx={{ pointerEvents: 'auto', textTransform: 'none' }}
      >
        <ArrowDownIcon fontSize="small" sx={{ mr: 0.5 }} />
        Jump to latest
      </Fab>
    </Box>
  );
}

const place = {
  position: 'fixed',
  zIndex: 4,
  insetInline: 0,
  bottom: 20,
  display: 'flex',
  justifyContent: 'center',
  pointerEvents: 'none',
  '@media print': { display: 'none' },
} as const;
