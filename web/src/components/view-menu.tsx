import IconButton from '@mui/material/IconButton';
import { lazy, Suspense, useId, useState } from 'react';
import { SlidersIcon } from './icons.tsx';

const ViewChoices = lazy(() => import('./view-choices.tsx'));

export function ViewMenu() {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const id = useId();
  return (
    <>
      <IconButton
        title="Display settings"
        aria-label="Display settings"
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        aria-controls={anchor === null ? undefined : id}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <SlidersIcon fontSize="small" />
      </IconButton>
      {anchor === null ? null : (
        <Suspense>
          <ViewChoices id={id} anchor={anchor} close={() => setAnchor(null)} />
        </Suspense>
      )}
    </>
  );
}
