import Button from '@mui/material/Button';
import { lazy, Suspense, useId, useState } from 'react';
import { findSavedView } from './saved-views.ts';
import type { ListViewState } from './use-list-view.ts';

const ViewsMenu = lazy(() => import('./views-menu.tsx'));

/** Shows the name of the current saved view and opens the menu of views. */
export function ViewsButton({ list }: { list: ListViewState }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const id = useId();
  const name = findSavedView(list.view, list.saved)?.name;
  return (
    <>
      <Button
        variant="outlined"
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        aria-controls={anchor === null ? undefined : id}
        onClick={(event) => setAnchor(event.currentTarget)}
        sx={{ minHeight: 38, maxWidth: 240 }}
      >
        <span style={clipped}>{name === undefined ? 'Views' : `View: ${name}`}</span>
      </Button>
      {anchor === null ? null : (
        <Suspense>
          <ViewsMenu id={id} anchor={anchor} list={list} close={() => setAnchor(null)} />
        </Suspense>
      )}
    </>
  );
}

const clipped = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;
