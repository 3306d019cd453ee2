import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import InputBase from '@mui/material/InputBase';
import type { PopperProps } from '@mui/material/Popper';
import { type HTMLAttributes, useEffect, useMemo, useState } from 'react';
import { SearchIcon } from '../../components/icons.tsx';
import { useRights } from '../../components/use-rights.ts';
import { PaletteMatchesDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { useNavigate } from '../../lib/router.tsx';
import { isLongEnough } from '../../lib/search.ts';
import type { ShortcutGroup } from '../../lib/shortcuts.ts';
import { mono } from '../../theme.ts';
import { actionEntries, isMatch, matchEntries, type PaletteEntry, pageEntries } from './palette-entries.ts';

/** Maximum length of a query (characters), as in the API. */
const MAX_LENGTH = 200;

/** Pause in typing (ms) after which the search starts. */
const TYPING_MS = 150;

interface Props {
  /** Shortcuts of the current page, whose actions the palette offers. */
  readonly shortcuts: readonly ShortcutGroup[];
  readonly close: () => void;
}

/**
 * Finds sessions, alert groups, pages and actions by name. Shows the newest sessions until the query is long enough
 * for the API.
 */
export default function CommandPalette({ shortcuts, close }: Props) {
  const navigate = useNavigate();
  const isAdmin = useRights().may('ADMIN');
  const [query, setQuery] = useState('');
  const [search, setSearch] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSearch(isLongEnough(query) ? query.trim() : null), TYPING_MS);
    return () => clearTimeout(timer);
  }, [query]);
  const [{ data: found, fetching, error }] = useQuery({
    query: PaletteMatchesDocument,
    variables: { sessions: { search }, groups: { search } },
    requestPolicy: 'cache-and-network',
  });
  const local = useMemo(
    () => [...actionEntries(shortcuts), ...pageEntries(isAdmin, navigate)],
    [shortcuts, isAdmin, navigate],
  );
  const words = query.trim();
  // The highlight stays on its row while rows are added below it. Matches of the previous query therefore go at once.
  const isCurrent = !fetching && (search ?? '') === words;
  const matches = useMemo(
    () => (found === undefined || !isCurrent ? [] : matchEntries(found, words, navigate)),
    [found, isCurrent, words, navigate],
  );
  const named = local.filter(({ label }) => isMatch(label, words));
  // Nothing is shown before the newest sessions are known, so that the first row, which Enter runs, does not change.
  const newest = fetching && error === undefined ? [] : [...matches, ...local];
  const entries = words === '' ? newest : [...named, ...matches];
  const run = (entry: PaletteEntry | null): void => {
    if (entry === null) return;
    close();
    // An action may focus a field. The closing dialog first returns the focus to the page.
    setTimeout(entry.run);
  };
  return (
    <Dialog
      open
      onClose={close}
      fullWidth
      maxWidth="sm"
      transitionDuration={0}
      slotProps={{ paper: { 'aria-label': 'Command palette' } }}
      sx={{ '& .MuiDialog-container': { alignItems: 'flex-start' } }}
    >
      <Autocomplete<PaletteEntry, false, false, false>
        open
        disablePortal
        autoHighlight
        options={entries}
        value={null}
        inputValue={query}
        onInputChange={(_event, text, reason) => {
          if (reason === 'input') setQuery(text);
        }}
        onChange={(_event, entry) => run(entry)}
        onClose={(_event, reason) => {
          if (reason === 'escape') close();
        }}
        filterOptions={(all) => all}
        groupBy={({ group }) => group}
        getOptionKey={({ id }) => id}
        getOptionLabel={({ label }) => label}
        noOptionsText={emptyText(!isCurrent, error !== undefined)}
        renderOption={(props, entry) => <Row key={entry.id} rowProps={props} entry={entry} />}
        renderInput={({ slotProps }) => (
          <Box sx={field}>
            <SearchIcon sx={{ fontSize: 18, color: 'text.secondary' }} />
            <InputBase
              ref={slotProps.input.ref}
              autoFocus
              placeholder="Find a session, an alert, a page or an action"
              inputProps={{
                ...slotProps.htmlInput,
                maxLength: MAX_LENGTH,
                'aria-label': 'Find a session, an alert, a page or an action',
              }}
              sx={{ flex: 1 }}
            />
          </Box>
        )}
        slots={{ popper: Inline, paper: Inline }}
        slotProps={{ listbox: { sx: { maxHeight: '60vh' } } }}
      />
    </Dialog>
  );
}

function emptyText(fetching: boolean, failed: boolean): string {
  if (failed) return 'Search failed. The server is not responding.';
  return fetching ? 'Searching …' : 'No matches';
}

// Shows the list inside the dialog instead of floating above it.
function Inline({ children }: Pick<PopperProps, 'children'>) {
  return <div>{typeof children === 'function' ? null : children}</div>;
}

function Row({ rowProps, entry }: { rowProps: HTMLAttributes<HTMLLIElement>; entry: PaletteEntry }) {
  return (
    <Box component="li" {...rowProps}>
      <Box component="bdi" sx={label}>
        {entry.label}
      </Box>
      <Box component="span" sx={note}>
        {entry.note}
      </Box>
    </Box>
  );
}

const field = {
  display: 'flex',
  alignItems: 'center',
  gap: 1,
  px: 2,
  py: 1,
  borderBottom: '1px solid',
  borderColor: 'divider',
} as const;
const label = {
  flex: 1,
  minWidth: 0,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
} as const;
const note = { ml: 2, flex: 'none', color: 'text.secondary', fontSize: '0.75rem', fontFamily: mono } as const;
