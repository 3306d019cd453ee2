import Box from '@mui/material/Box';
import { mono } from '../theme.ts';
import { CopyButton } from './copy-button.tsx';
import { LongText } from './long-text.tsx';

// Up to here the browser lays out a whole text without being noticed.
const SHORT = 8_000;

interface Props {
  readonly text: string;
  /** Names it for those who do not see it. */
  readonly label: string;
  /** In px; what does not fit is scrolled to. */
  readonly maxHeight?: number;
}

/** Text as it is, in a box of its own that scrolls. */
export function CodeBlock({ text, label, maxHeight = 360 }: Props) {
  return (
    <Box sx={{ position: 'relative' }}>
      {text.length <= SHORT ? (
        <Box component="pre" tabIndex={0} role="region" aria-label={label} sx={well} style={{ maxHeight }}>
          {text}
        </Box>
      ) : (
        <Box sx={well}>
          <LongText text={text} label={label} maxHeight={maxHeight - 20} />
        </Box>
      )}
      <Box sx={{ position: 'absolute', top: 4, right: 12, bgcolor: 'well', borderRadius: 1 }}>
        <CopyButton label={`Copy ${label.toLowerCase()}`} text={() => text} />
      </Box>
    </Box>
  );
}

const well = {
  m: 0,
  p: 1.25,
  pr: 5,
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
