import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import TextField from '@mui/material/TextField';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { isLongEnough, MIN_SEARCH } from '../lib/search.ts';
import { CloseIcon, SearchIcon } from './icons.tsx';

// Somebody who types on needs no answer to each letter.
const TYPING_MS = 300;

interface Props {
  /** What is looked for; typing changes it a moment later. */
  readonly value: string;
  readonly change: (text: string) => void;
  /** Names it for those who do not see it. */
  readonly label: string;
  readonly placeholder: string;
  /** Characters that the API takes. */
  readonly maxLength: number;
  readonly input?: RefObject<HTMLInputElement | null>;
}

/** Looks for words while they are typed. */
export function SearchField({ value, change, label, placeholder, maxLength, input: given }: Props) {
  const own = useRef<HTMLInputElement>(null);
  const input = given ?? own;
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The address is the truth: going back, and clearing the filters, change it from outside.
  const told = useRef(value);
  useEffect(() => {
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  // A change made meanwhile, such as to a filter, must not be undone by what was typed before it.
  const newest = useRef(change);
  newest.current = change;
  const look = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => {
        told.current = next;
        newest.current(next);
      },
      next === '' ? 0 : TYPING_MS,
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    if (text === '') input.current?.blur();
    else look('');
  };
  const short = text.trim() !== '' && !isLongEnough(text);
  return (
    <TextField
      type="text"
      value={text}
      inputRef={input}
      placeholder={placeholder}
      onChange={(event) => look(event.target.value)}
      onKeyDown={onKeyDown}
      helperText={short ? `At least ${MIN_SEARCH} characters.` : undefined}
      sx={{ flex: '1 1 240px', minWidth: 0 }}
      slotProps={{
        htmlInput: { 'aria-label': label, maxLength, enterKeyHint: 'search' },
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
