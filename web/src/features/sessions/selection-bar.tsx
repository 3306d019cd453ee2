import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { lazy, Suspense, useState } from 'react';
import { ActionButton } from '../../components/action-button.tsx';
import { StopIcon } from '../../components/icons.tsx';
import type { Selection } from './use-selection.ts';

const CancelSelectedDialog = lazy(() => import('./cancel-selected-dialog.tsx'));

/** Bar at the bottom of the window with actions on the selected sessions. */
export default function SelectionBar({ selection: { ids, all, select } }: { selection: Selection }) {
  const [asking, setAsking] = useState(false);
  return (
    <Box role="group" aria-label="Actions on the selected sessions" sx={bar}>
      <Box sx={{ fontWeight: 600, mr: 1 }}>{ids.size} selected</Box>
      {ids.size < all.length ? <Button onClick={() => select(all)}>Select all {all.length}</Button> : null}
      <Button onClick={() => select([])}>Clear</Button>
      <ActionButton
        needs="REVIEW"
        color="error"
        variant="outlined"
        startIcon={<StopIcon />}
        onClick={() => setAsking(true)}
      >
        Cancel selected
      </ActionButton>
      {asking ? (
        <Suspense>
          <CancelSelectedDialog ids={[...ids]} close={() => setAsking(false)} />
        </Suspense>
      ) : null}
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
