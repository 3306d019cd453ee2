import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import InputBase from '@mui/material/InputBase';
import Tooltip from '@mui/material/Tooltip';
import type { KeyboardEvent, RefObject } from 'react';
import { isComposing } from '../lib/composing.ts';
import { ChevronIcon, SearchIcon } from './icons.tsx';

/** A search within a text or page, and the match that the viewer has reached. */
export interface Find {
  readonly query: string;
  readonly setQuery: (text: string) => void;
  readonly matches: { readonly length: number };
  /** Index of the current match; -1 before the first one is reached. */
  readonly currentIndex: number;
  readonly step: (by: 1 | -1) => void;
}

interface Props {
  readonly find: Find;
  /** Accessible name of the input. */
  readonly label: string;
  /** Accessible name of the search landmark. */
  readonly landmark: string;
  readonly placeholder: string;
  readonly inputRef: RefObject<HTMLInputElement | null>;
}

/** A field that finds text: counts the matches and steps through them with Enter and Shift + Enter. */
export function FindField({ find, label, landmark, placeholder, inputRef }: Props) {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      find.step(event.shiftKey ? -1 : 1);
    }
    if (event.key !== 'Escape' || (find.query === '' && inputRef.current?.closest('[role=dialog]'))) return;
    event.stopPropagation(); // the first Escape clears the query, and does not close a dialog
    find.setQuery('');
    if (inputRef.current?.closest('[role=dialog]') === null) inputRef.current.blur();
  };
  return (
    <Box role="search" aria-label={landmark} sx={field}>
      <SearchIcon sx={{ fontSize: 16, color: 'text.secondary', flex: 'none' }} />
      <InputBase
        inputRef={inputRef}
        value={find.query}
        onChange={(event) => find.setQuery(event.target.value)}
        onKeyDown={onKeyDown}
        placeholder={placeholder}
        inputProps={{
          'aria-label': label,
          type: 'search',
          enterKeyHint: 'search',
          'data-find-in-session': '',
        }}
        sx={{ flex: 1, minWidth: 0, fontSize: '0.8125rem' }}
      />
      {find.query === '' ? null : <MatchStepper find={find} />}
    </Box>
  );
}

function MatchStepper({ find: { matches, currentIndex, step } }: { find: Find }) {
  const none = matches.length === 0;
  return (
    <>
      <Box component="span" role="status" sx={count}>
        {none ? 'No matches' : `${currentIndex + 1} of ${matches.length}`}
      </Box>
      <Tooltip title="Previous (Shift + Enter)">
        <span>
          <IconButton aria-label="Previous match" disabled={none} onClick={() => step(-1)} sx={arrow}>
            <ChevronIcon sx={{ fontSize: 16, transform: 'rotate(-90deg)' }} />
          </IconButton>
        </span>
      </Tooltip>
      <Tooltip title="Next (Enter)">
        <span>
          <IconButton aria-label="Next match" disabled={none} onClick={() => step(1)} sx={arrow}>
            <ChevronIcon sx={{ fontSize: 16, transform: 'rotate(90deg)' }} />
          </IconButton>
        </span>
      </Tooltip>
    </>
  );
}

const field = {
  display: 'flex',
  alignItems: 'center',
  gap: 0.5,
  flex: { xs: 1, sm: '0 1 320px' },
  minWidth: 120,
  height: 32,
  pl: 1,
  pr: 0.5,
  color: 'text.primary',
  bgcolor: 'background.paper',
  border: '1px solid',
  borderColor: 'divider',
  borderRadius: 1,
  '&:focus-within': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: -1 },
  '& input::-webkit-search-cancel-button': { display: 'none' },
} as const;
const count = { fontSize: '0.75rem', color: 'text.secondary', whiteSpace: 'nowrap' } as const;
const arrow = { p: 0.5 } as const;
