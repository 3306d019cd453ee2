import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useViewer } from '../../components/use-viewer.ts';
import { isComposing } from '../../lib/composing.ts';
import { addView, firstPageQuery, isName, MAX_NAME } from './saved-views.ts';
import type { ListViewState } from './use-list-view.ts';
import { useSaveServerView } from './use-server-views.ts';

// Places other than a team, which cannot have these names.
const BROWSER = ' browser';
const ACCOUNT = ' account';

/** Asks for a name and saves the current view under it. */
export function SaveViewDialog({ list, close }: { list: ListViewState; close: () => void }) {
  const { view, saved, save } = list;
  const [name, setName] = useState('');
  const [opensFirst, setOpensFirst] = useState(false);
  const [tried, setTried] = useState(false);
  const [place, setPlace] = useState(BROWSER);
  const server = useSaveServerView();
  const teams = useViewer()?.teams ?? [];
  const isLocal = place === BROWSER;
  const own = name.trim();
  const replaces = isLocal && saved.views.some((each) => each.name === own);
  const confirm = (): void => {
    setTried(true);
    if (!isName(own)) return;
    if (!isLocal) {
      const team = place === ACCOUNT ? null : place;
      void server.save({ name: own, parameters: firstPageQuery(view), team }).then((done) => {
        if (done) close();
      });
      return;
    }
    const next = addView(saved, own, view);
    save(opensFirst ? { ...next, usual: own } : next);
    close();
  };
  return (
    <ConfirmDialog
      title="Save view"
      refusal={tried && !isName(own) ? 'Enter a name.' : server.refusal}
      no="Cancel"
      yes={replaces ? 'Replace' : 'Save'}
      sending={server.sending}
      confirm={confirm}
      close={close}
    >
      <TextField
        autoFocus
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !isComposing(event.nativeEvent)) confirm();
        }}
        helperText={
          replaces ? 'A view with this name already exists.' : 'Saves filters, sort order and rows per page.'
        }
        fullWidth
        sx={{ mt: 1, minWidth: { sm: 400 } }}
        slotProps={{ htmlInput: { maxLength: MAX_NAME } }}
      />
      <TextField
        select
        label="Keep it"
        value={place}
        onChange={(event) => setPlace(event.target.value)}
        fullWidth
        sx={{ mt: 2 }}
        slotProps={{ select: { native: true } }}
      >
        <option value={BROWSER}>In this browser</option>
        <option value={ACCOUNT}>On the server, for me</option>
        {teams.map((team) => (
          <option key={team} value={team}>
            On the server, for the team {team}
          </option>
        ))}
      </TextField>
      <FormControlLabel
        disabled={!isLocal}
        sx={{ mt: 1 }}
        control={
          <Checkbox
            checked={opensFirst && isLocal}
            onChange={(event) => setOpensFirst(event.target.checked)}
          />
        }
        label="Make it the default view"
      />
    </ConfirmDialog>
  );
}
