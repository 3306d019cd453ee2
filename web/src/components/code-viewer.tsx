import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import GlobalStyles from '@mui/material/GlobalStyles';
import IconButton from '@mui/material/IconButton';
import ToggleButton from '@mui/material/ToggleButton';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { useId, useMemo, useState } from 'react';
import type { AnsiText } from '../lib/ansi.ts';
import { lineAt, startOfLine } from '../lib/text-lines.ts';
import { mono } from '../theme.ts';
import { CopyButton } from './copy-button.tsx';
import { FindField } from './find-field.tsx';
import { DIALOG_STYLES } from './find-highlights.ts';
import { CloseIcon, LinkIcon } from './icons.tsx';
import { JsonTree, readTree } from './json-tree.tsx';
import type { NumberedLines } from './line-number.tsx';
import { LongText } from './long-text.tsx';
import { useTextFind } from './use-text-find.ts';

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
  const { find, place, box, inputRef } = useTextFind(text.plain);
  const [linkedOffset] = useState(() => startOfLine(text.plain, numbers?.marked ?? null));
  return (
    <Dialog open fullScreen onClose={close} aria-labelledby={id}>
      <GlobalStyles styles={DIALOG_STYLES} />
      <Box sx={bar}>
        <Typography id={id} variant="h2" component="h2" noWrap sx={{ mr: 'auto', minWidth: 0 }}>
          {label}
        </Typography>
        {asTree ? null : (
          <>
            <FindField
              find={find}
              label={`Find in ${label.toLowerCase()}`}
              landmark={`Search ${label.toLowerCase()}`}
              placeholder="Find"
              inputRef={inputRef}
            />
            {!numbers?.link || place === null ? null : (
              <Button
                color="inherit"
                startIcon={<LinkIcon />}
                onClick={() => numbers.link?.copy(lineAt(text.plain, place))}
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
      <Box ref={box} sx={[well, wrap ? wrapped : unwrapped]}>
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
            place={place ?? linkedOffset}
            numbers={numbers}
          />
        )}
      </Box>
    </Dialog>
  );
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
