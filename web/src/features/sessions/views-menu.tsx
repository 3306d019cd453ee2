import Divider from '@mui/material/Divider';
import ListItemText from '@mui/material/ListItemText';
import ListSubheader from '@mui/material/ListSubheader';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useState } from 'react';
import { CheckIcon } from '../../components/icons.tsx';
import { copyText } from '../../lib/copy-text.ts';
import { SUB_PATH } from '../../lib/sub-path.ts';
import { DEFAULT_VIEW, parseView } from './list-view.ts';
import { SaveViewDialog } from './save-view-dialog.tsx';
import { findSavedView, firstPageQuery, MAX_VIEWS, removeView } from './saved-views.ts';
import type { ListViewState } from './use-list-view.ts';
import { useServerViews } from './use-server-views.ts';

interface Props {
  readonly id: string;
  readonly anchor: HTMLElement;
  readonly list: ListViewState;
  readonly close: () => void;
}

/** Menu that opens, saves, deletes and links the viewer's saved views, and sets the default view. */
export default function ViewsMenu({ id, anchor, list, close }: Props) {
  const { view, change, saved, save } = list;
  const server = useServerViews();
  const [naming, setNaming] = useState(false);
  const [copied, setCopied] = useState<'done' | 'failed' | null>(null);
  if (naming) return <SaveViewDialog list={list} close={close} />;
  const query = firstPageQuery(view);
  const current = findSavedView(view, saved);
  const shown = server.views.find(({ parameters }) => parameters === query);
  const andClose = (act: () => void) => () => {
    act();
    close();
  };
  const defaultNote = (name: string | null): string => (saved.usual === name ? 'Default view' : '');
  return (
    <Menu id={id} anchorEl={anchor} open onClose={close} slotProps={{ list: { dense: true } }}>
      <ViewItem
        name="All sessions"
        note={defaultNote(null)}
        chosen={query === ''}
        onSelect={andClose(() => change(DEFAULT_VIEW))}
      />
      {saved.views.map(({ name, query: own }) => (
        <ViewItem
          key={name}
          name={name}
          note={defaultNote(name)}
          chosen={current?.name === name}
          onSelect={andClose(() => change(parseView(new URLSearchParams(own))))}
        />
      ))}
      {server.views.map(({ id: key, name, team, parameters }) => (
        <ViewItem
          key={key}
          name={name}
          note={team === null ? 'On the server, yours' : `Team ${team}`}
          chosen={parameters === query}
          onSelect={andClose(() => change(parseView(new URLSearchParams(parameters))))}
        />
      ))}
      <Divider />
      {current === undefined && query !== '' ? (
        <MenuItem disabled={saved.views.length >= MAX_VIEWS} onClick={() => setNaming(true)}>
          Save view…
        </MenuItem>
      ) : null}
      {current !== undefined || query === '' ? (
        <MenuItem
          disabled={saved.usual === (current?.name ?? null)}
          onClick={andClose(() => save({ ...saved, usual: current?.name ?? null }))}
        >
          Make it the default view
        </MenuItem>
      ) : null}
      <MenuItem
        onClick={() => {
          const link = new URL(`${SUB_PATH}/?${query === '' ? 'view=all' : query}`, window.location.origin);
          void copyText(link.href).then(setCopied);
        }}
      >
        {copied === null
          ? 'Copy link to this view'
          : copied === 'done'
            ? 'Copied'
            : 'Copy failed. Copy the page address instead.'}
      </MenuItem>
      {current === undefined ? null : (
        <MenuItem onClick={andClose(() => save(removeView(saved, current.name)))}>
          Delete “{current.name}”
        </MenuItem>
      )}
      {shown === undefined ? null : (
        <MenuItem onClick={andClose(() => server.remove(shown.id))}>
          Delete “{shown.name}”{shown.team === null ? '' : ` of team ${shown.team}`}
        </MenuItem>
      )}
      <ListSubheader component="div" role="presentation" sx={footnote}>
        Views without a note are kept in this browser only.
      </ListSubheader>
    </Menu>
  );
}

interface ViewItemProps {
  readonly name: string;
  readonly note: string;
  readonly chosen: boolean;
  readonly onSelect: () => void;
}

// `item` holds the props that the menu passes to its items, such as `tabIndex`.
function ViewItem({ name, note, chosen, onSelect, ...item }: ViewItemProps) {
  return (
    <MenuItem
      {...item}
      role="menuitemradio"
      aria-checked={chosen}
      onClick={onSelect}
      sx={{ gap: 1, maxWidth: 420 }}
    >
      <CheckIcon sx={{ fontSize: 16, visibility: chosen ? 'visible' : 'hidden' }} />
      <ListItemText primary={name} secondary={note} sx={row} />
    </MenuItem>
  );
}

const row = {
  overflowWrap: 'anywhere',
  '& .MuiListItemText-primary': { whiteSpace: 'normal' },
} as const;
const footnote = { pt: 0.5, fontSize: '0.75rem', lineHeight: 1.5, bgcolor: 'transparent' } as const;
