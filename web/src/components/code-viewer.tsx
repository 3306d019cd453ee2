import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import IconButton from '@mui/material/IconButton';
import InputBase from '@mui/material/InputBase';
import ToggleButton from '@mui/material/ToggleButton';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { type KeyboardEvent, useDeferredValue, useId, useMemo, useState } from 'react';
import type { AnsiText } from '../lib/ansi.ts';
import { lineAt, startOfLine } from '../lib/text-lines.ts';
import { mono } from '../theme.ts';
import { CopyButton } from './copy-button.tsx';
import { ChevronIcon, CloseIcon, LinkIcon } from './icons.tsx';
import { JsonTree, readTree } from './json-tree.tsx';
import type { NumberedLines } from './line-number.tsx';
import { LongText } from './long-text.tsx';

interface Props {
  readonly text: AnsiText;
  readonly label: string;
  readonly numbers: NumberedLines | undefined;
  readonly status: string;
  readonly close: () => void;
}

/** Shows a text in the full window: with or without line wrapping, with search, and as a tree if it is JSON. */
export default function CodeViewer({ text, label, numbers, status, close }: Props) {
  const id = useId();
  const [wrap, setWrap] = useState(true);
  const tree = useMemo(() => readTree(text.plain), [text]);
  const [asTree, setAsTree] = useState(false);
  const [searchText, setSearchText] = useState('');
  const deferredSearch = useDeferredValue(searchText);
  const matches = useMemo(() => findMatches(text.plain, deferredSearch), [text, deferredSearch]);
  const [matchIndex, setMatchIndex] = useState(0);
  const [linkedOffset] = useState(() => startOfLine(text.plain, numbers?.marked ?? null));
  const currentMatch = matches[matchIndex];
  const step = (by: 1 | -1): void =>
    setMatchIndex((now) => (now + by + matches.length) % Math.max(1, matches.length));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  };
  const noMatches = matches.length === 0;
  return (
    <Dialog open fullScreen onClose={close} aria-labelledby={id}>
      <Box sx={bar}>
        <Typography id={id} variant="h2" component="h2" noWrap sx={{ mr: 'auto', minWidth: 0 }}>
          {label}
        </Typography>
        {asTree ? null : (
          <>
            <Box role="search" aria-label={`Search ${label.toLowerCase()}`} sx={field}>
              <InputBase
                value={searchText}
                onChange={(event) => {
                  setSearchText(event.target.value);
                  setMatchIndex(0);
                }}
                onKeyDown={onKeyDown}
                placeholder="Find"
                inputProps={{ 'aria-label': `Find in ${label.toLowerCase()}`, type: 'search' }}
                sx={{ flex: 1, minWidth: 0, fontSize: '0.8125rem' }}
              />
              {searchText === '' ? null : (
                <Box component="span" role="status" sx={{ fontSize: '0.75rem', whiteSpace: 'nowrap' }}>
                  {noMatches ? 'none' : `${matchIndex + 1} of ${matches.length}`}
                </Box>
              )}
              <IconButton
                aria-label="Previous match"
                disabled={noMatches}
                onClick={() => step(-1)}
                sx={{ p: 0.5 }}
              >
                <ChevronIcon sx={{ fontSize: 16, transform: 'rotate(-90deg)' }} />
              </IconButton>
              <IconButton
                aria-label="Next match"
                disabled={noMatches}
                onClick={() => step(1)}
                sx={{ p: 0.5 }}
              >
                <ChevronIcon sx={{ fontSize: 16, transform: 'rotate(90deg)' }} />
              </IconButton>
            </Box>
            {numbers === undefined || currentMatch === undefined ? null : (
              <Button
                color="inherit"
                startIcon={<LinkIcon />}
                onClick={() => numbers.copyLink(lineAt(text.plain, currentMatch))}
              >
                Copy link to this line
              </Button>
            )}
            <Box role="status" sx={{ fontSize: '0.75rem' }}>
              {status}
            </Box>
            <ToggleButton
              size="small"
              value="wrap"
              selected={wrap}
              onChange={() => setWrap(!wrap)}
              sx={toggle}
            >
              Wrap
            </ToggleButton>
          </>
        )}
        {tree === undefined ? null : (
          <ToggleButton
            size="small"
            value="tree"
            selected={asTree}
            onChange={() => setAsTree(!asTree)}
            sx={toggle}
          >
            Tree
          </ToggleButton>
        )}
        <CopyButton label={`Copy ${label.toLowerCase()}`} text={() => text.plain} />
        <Tooltip title="Close">
          <IconButton aria-label="Close" onClick={close}>
            <CloseIcon fontSize="small" />
          </IconButton>
        </Tooltip>
      </Box>
      <Box sx={[well, wrap ? wrapped : unwrapped]}>
        {asTree && tree !== undefined ? (
          <Box
            tabIndex={0}
            role="region"
            aria-label={`${label} as a tree`}
            sx={{ height: '100%', overflow: 'auto' }}
          >
            <JsonTree name={null} value={tree.value} />
          </Box>
        ) : (
          <LongText
            text={text}
            label={`${label}, full text`}
            maxHeight="100%"
            place={currentMatch ?? linkedOffset}
            numbers={numbers}
          />
        )}
      </Box>
    </Dialog>
  );
}

// Maximum number of matches: more than a user steps through.
const MAX_MATCHES = 10_000;

/** Returns the offsets of `searchText` in `text`, ignoring case; at most MAX_MATCHES. */
function findMatches(text: string, searchText: string): readonly number[] {
  if (searchText === '') return [];
  const pattern = new RegExp(searchText.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi');
  const offsets: number[] = [];
  for (const { index } of text.matchAll(pattern)) {
    offsets.push(index);
    if (offsets.length === MAX_MATCHES) break;
  }
  return offsets;
}

const bar = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 1,
  px: { xs: 1.5, sm: 3 },
  py: 1,
  borderBottom: '1px solid',
  borderColor: 'divider',
} as const;
const field = {
  display: 'flex',
  alignItems: 'center',
  gap: 0.5,
  flex: { xs: '1 1 100%', sm: '0 1 300px' },
  order: { xs: 1, sm: 0 },
  height: 34,
  pl: 1,
  pr: 0.5,
  border: '1px solid',
  borderColor: 'divider',
  borderRadius: 1,
  '& input::-webkit-search-cancel-button': { display: 'none' },
} as const;
const toggle = { py: 0.5, px: 1, textTransform: 'none', fontWeight: 600 } as const;
const well = {
  flex: 1,
  minHeight: 0,
  p: { xs: 1.5, sm: 3 },
  bgcolor: 'well',
  fontFamily: mono,
  fontSize: '0.8125rem',
  lineHeight: 1.55,
  '& > div': { height: '100%' },
} as const;
const wrapped = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;
const unwrapped = { whiteSpace: 'pre' } as const;
