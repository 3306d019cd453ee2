import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { lazy, Suspense, useMemo, useState } from 'react';
import { readAnsi } from '../lib/ansi.ts';
import { mono } from '../theme.ts';
import { Coloured } from './coloured.tsx';
import { CopyButton } from './copy-button.tsx';
import { ExpandIcon } from './icons.tsx';
import { LongText } from './long-text.tsx';

const CodeViewer = lazy(() => import('./code-viewer.tsx'));

// Up to here the browser lays out a whole text without being noticed.
const SHORT = 8_000;

interface Props {
  readonly text: string;
  /** Names it for those who do not see it. */
  readonly label: string;
  /** In px; what does not fit is scrolled to. */
  readonly maxHeight?: number;
}

/** Code, a log or data as it is, in a box of its own that scrolls; to be copied, and to be read in the whole window. */
export function CodeBlock({ text: given, label, maxHeight = 360 }: Props) {
  const text = useMemo(() => readAnsi(given), [given]);
  const [whole, setWhole] = useState(false);
  const open = `Open ${label.toLowerCase()} in the whole window`;
  return (
    <Box className="code" sx={{ position: 'relative', minWidth: 0 }}>
      {text.plain.length <= SHORT ? (
        <Box component="pre" tabIndex={0} role="region" aria-label={label} sx={well} style={{ maxHeight }}>
          <Coloured text={text.plain} start={0} runs={text.runs} />
        </Box>
      ) : (
        <Box sx={well}>
          <LongText text={text} label={label} maxHeight={maxHeight - 20} />
        </Box>
      )}
      <Box sx={tools}>
        <CopyButton label={`Copy ${label.toLowerCase()}`} text={() => text.plain} />
        <Tooltip title={open}>
          <IconButton aria-label={open} onClick={() => setWhole(true)}>
            <ExpandIcon fontSize="small" />
          </IconButton>
        </Tooltip>
      </Box>
      {whole ? (
        <Suspense>
          <CodeViewer text={text} label={label} close={() => setWhole(false)} />
        </Suspense>
      ) : null}
    </Box>
  );
}

const well = {
  m: 0,
  p: 1.25,
  pr: 9,
  minHeight: 38,
  overflow: 'auto',
  bgcolor: 'well',
  border: '1px solid',
  borderColor: 'divider',
  borderRadius: 1,
  fontFamily: mono,
  fontSize: '0.75rem',
  lineHeight: 1.55,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
} as const;
const tools = {
  position: 'absolute',
  top: 4,
  right: 12,
  display: 'flex',
  bgcolor: 'well',
  borderRadius: 1,
} as const;
