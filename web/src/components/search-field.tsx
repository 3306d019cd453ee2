import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import {
  type ChangeEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { isComposing } from '../lib/composing.ts';
import { isLongEnough, MIN_SEARCH } from '../lib/search.ts';
import { CloseIcon, SearchIcon } from './icons.tsx';

// Pause in typing (ms) after which the search starts.
const TYPING_MS = 300;

interface Props {
  /** The current search text. `change` is called shortly after typing stops. */
  readonly value: string;
  readonly change: (text: string) => void;
  readonly label: string;
  readonly placeholder: string;
  /** Maximum length that the API accepts (characters). */
  readonly maxLength: number;
  readonly input?: RefObject<HTMLInputElement | null>;
}

/** A search box that searches while the user types. */
export function SearchField({ value, change, label, placeholder, maxLength, input: givenInput }: Props) {
  const ownInput = useRef<HTMLInputElement>(null);
  const input = givenInput ?? ownInput;
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // `value` comes from the address and may also change without typing: through Back, or when all filters are
  // cleared.
  const lastReported = useRef(value);
  useEffect(() => {
    if (value !== lastReported.current) setText(value);
    lastReported.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The timer calls the newest `change`. An older callback would undo filters that changed after the last
  // key.
  const newest = useRef(change);
  newest.current = change;
  const search = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => {
        lastReported.current = next;
        newest.current(next);
      },
      next === '' ? 0 : TYPING_MS,
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return;
    if (text === '') input.current?.blur();
    else search('');
  };
  const id = useId();
  const isTooShort = text.trim() !== '' && !isLongEnough(text);
  return (
    <Box sx={{ flex: '1 1 240px', minWidth: 0 }}>
      <Box sx={frame}>
        <SearchIcon sx={{ fontSize: 18, flex: 'none', color: 'text.secondary' }} />
        <Box
          component="input"
          type="text"
          ref={input}
          value={text}
          placeholder={placeholder}
          aria-label={label}
          aria-describedby={isTooShort ? id : undefined}
          maxLength={maxLength}
          enterKeyHint="search"
          onChange={(event: ChangeEvent<HTMLInputElement>) => search(event.target.value)}
          onKeyDown={onKeyDown}
          sx={words}
        />
        {text === '' ? null : (
          <IconButton aria-label="Clear search" edge="end" onClick={() => search('')}>
            <CloseIcon sx={{ fontSize: 16 }} />
          </IconButton>
        )}
      </Box>
      {isTooShort ? (
        <Box id={id} sx={{ mt: 0.25, px: 1.5, fontSize: '0.75rem', color: 'text.secondary' }}>
          Enter at least {MIN_SEARCH} characters.
        </Box>
      ) : null}
    </Box>
  );
}

const frame = {
  display: 'flex',
  alignItems: 'center',
  gap: 1,
  height: 38,
  px: 1.5,
  color: 'text.primary',
  bgcolor: 'background.paper',
  border: '1px solid',
  borderColor: 'color-mix(in srgb, currentColor 25%, transparent)',
  borderRadius: 1,
  '&:hover': { borderColor: 'text.primary' },
  '&:focus-within': {
    borderColor: 'primary.main',
    boxShadow: 'inset 0 0 0 1px var(--mui-palette-primary-main)',
  },
} as const;
const words = {
  flex: 1,
  minWidth: 0,
  height: '100%',
  p: 0,
  border: 0,
  outline: 'none',
  font: 'inherit',
  fontSize: '0.9375rem',
  color: 'inherit',
  background: 'none',
  '&::placeholder': { color: 'text.secondary', opacity: 0.8 },
} as const;
