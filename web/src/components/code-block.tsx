import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { formatCount } from '../lib/format.ts';
import { mono } from '../theme.ts';
import { CopyButton } from './copy-button.tsx';

// Laying out more than this at once makes a page stutter; the rest is one click away.
const SHOWN_AT_FIRST = 20_000;

/** Text as it is, in a box of its own that scrolls. `label` names it for those who do not see it. */
export function CodeBlock({
  text,
  label,
  maxHeight = 360,
}: {
  text: string;
  label: string;
  maxHeight?: number;
}) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > SHOWN_AT_FIRST;
  return (
    <Box sx={{ position: 'relative' }}>
      <Box
        component="pre"
        tabIndex={0}
        role="region"
        aria-label={label}
        sx={{
          m: 0,
          p: 1.25,
          pr: 5,
          maxHeight,
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
        }}
      >
        {cut ? text.slice(0, SHOWN_AT_FIRST) : text}
      </Box>
      <Box sx={{ position: 'absolute', top: 4, right: 4, bgcolor: 'well', borderRadius: 1 }}>
        <CopyButton label={`Copy ${label.toLowerCase()}`} text={() => text} />
      </Box>
      {cut ? (
        <Button onClick={() => setWhole(true)}>Show all {formatCount(text.length)} characters</Button>
      ) : null}
    </Box>
  );
}
