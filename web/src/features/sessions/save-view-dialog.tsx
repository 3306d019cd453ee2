import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { addView, isName, MAX_NAME } from './saved-views.ts';
import type { ListViewState } from './use-list-view.ts';

/** Asks for a name and saves the current view under it. */
export function SaveViewDialog({ list, close }: { list: ListViewState; close: () => void }) {
  const { view, saved, save } = list;
  const [name, setName] = useState('');
  const [opensFirst, setOpensFirst] = useState(false);
  const [tried, setTried] = useState(false);
  const own = name.trim();
  const replaces = saved.views.some((each) => each.name === own);
  const confirm = (): void => {
    setTried(true);
    if (!isName(own)) return;
    const next = addView(saved, own, view);
    save(opensFirst ? { ...next, usual: own } : next);
    close();
  };
  return (
    <ConfirmDialog
      title="Save view"
      refusal={tried && !isName(own) ? 'Enter a name.' : undefined}
      no="Cancel"
      yes={replaces ? 'Replace' : 'Save'}
      sending={false}
      confirm={confirm}
      close={close}
    >
      <TextField
        autoFocus
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') confirm();
        }}
        helperText={
          replaces ? 'A view with this name already exists.' : 'Saves filters, sort order and rows per page.'
        }
        fullWidth
        sx={{ mt: 1, minWidth: { sm: 400 } }}
        slotProps={{ htmlInput: { maxLength: MAX_NAME } }}
      />
      <FormControlLabel
        sx={{ mt: 1 }}
        control={<Checkbox checked={opensFirst} onChange={(event) => setOpensFirst(event.target.checked)} />}
        label="Make it the default view"
      />
    </ConfirmDialog>
  );
}
