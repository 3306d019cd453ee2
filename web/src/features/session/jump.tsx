import Box from '@mui/material/Box';
import Fab from '@mui/material/Fab';
import type { FlagIcon } from '../../components/icons.tsx';

export function Jump(props: { label: string; Icon: typeof FlagIcon; jump: () => void }) {
  const { label, Icon, jump } = props;
  return (
    <Box sx={place}>
      <Fab
        variant="extended"
        size="small"
        color="primary"
        onClick={jump}
        sx={{ pointerEvents: 'auto', textTransform: 'none' }}
      >
        <Icon fontSize="small" sx={{ mr: 0.5 }} />
        {label}
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
