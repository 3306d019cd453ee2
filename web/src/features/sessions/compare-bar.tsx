import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { comparePath } from '../../lib/paths.ts';
import { Link } from '../../lib/router.tsx';

/** Bar at the bottom of the window that compares the selected sessions. */
export default function CompareBar({ ids, clear }: { ids: readonly string[]; clear: () => void }) {
  return (
    <Box role="group" aria-label="Compare sessions" sx={bar}>
      <Box role="status" sx={{ fontWeight: 600, mr: 1 }}>
        {ids.length === 1 ? '1 selected. Select another one to compare.' : `${ids.length} selected`}
      </Box>
      {ids.length < 2 ? null : (
        <Button variant="contained" component={Link} to={comparePath(ids)}>
          Compare
        </Button>
      )}
      <Button onClick={clear}>Clear</Button>
    </Box>
  );
}

const bar = {
  position: 'sticky',
  bottom: 8,
  zIndex: 3,
  mt: 1,
  px: 1.5,
  py: 1,
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 1,
  fontSize: '0.875rem',
  bgcolor: 'background.paper',
  border: '1px solid',
  borderColor: 'divider',
  borderRadius: 1.5,
  boxShadow: 3,
} as const;
