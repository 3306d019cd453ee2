import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import TextField from '@mui/material/TextField';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { CloseIcon, SearchIcon } from '../../components/icons.tsx';
import { MIN_SEARCH } from './list-view.ts';
import type { ListViewState } from './use-list-view.ts';

// Somebody who types on needs no answer to each letter.
const TYPING_MS = 300;

/** Looks through alerts, analyses and timelines while it is typed. */
export function SearchField({
  list,
  input,
}: {
  list: ListViewState;
  input: RefObject<HTMLInputElement | null>;
}) {
  const { view, change } = list;
  const [text, setText] = useState(view.search);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The address is the truth: going back, and clearing the filters, change it from outside.
  const told = useRef(view.search);
  useEffect(() => {
    if (view.search !== told.current) setText(view.search);
    told.current = view.search;
  }, [view.search]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const look = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => {
        told.current = next;
        change({ search: next }, { replace: true });
      },
      next === '' ? 0 : TYPING_MS,
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    if (text === '') input.current?.blur();
    else look('');
  };
  const short = text.trim() !== '' && [...text.trim()].length < MIN_SEARCH;
  return (
    <TextField
      type="text"
      value={text}
      inputRef={input}
      placeholder="Search alerts, analyses, timelines"
      onChange={(event) => look(event.target.value)}
      onKeyDown={onKeyDown}
      helperText={short ? `At least ${MIN_SEARCH} characters.` : undefined}
      sx={{ flex: '1 1 240px', minWidth: 0 }}
      slotProps={{
        htmlInput: { 'aria-label': 'Search the history', maxLength: 500, enterKeyHint: 'search' },
        input: {
          startAdornment: (
            <InputAdornment position="start">
              <SearchIcon sx={{ fontSize: 18 }} />
            </InputAdornment>
          ),
          endAdornment:
            text === '' ? undefined : (
              <IconButton aria-label="Clear the search" edge="end" onClick={() => look('')}>
                <CloseIcon sx={{ fontSize: 16 }} />
              </IconButton>
            ),
        },
      }}
    />
  );
}
