import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { type Passage, partAround, widenPassage } from '../../lib/passage.ts';
import { mono } from '../../theme.ts';

/** Number of characters that each click adds; few enough to render quickly. */
const STEP_LENGTH = 40_000;

interface Props {
  readonly text: string;
  readonly passage: Passage | null;
  /** Accessible name of the text. */
  readonly label: string;
}

/** Shows a long text around a highlighted passage, scrolled into view; buttons add the text before and after. */
export function MarkedText({ text, passage, label }: Props) {
  const [part, setPart] = useState(() => partAround(text, passage));
  const { start, end } = passage ?? { start: part.end, end: part.end };
  const count = (place: number): string => place.toLocaleString('en');
  return (
    <>
      <Box component="pre" tabIndex={0} role="region" aria-label={label} sx={well}>
        {part.start === 0 ? null : (
          <Button onClick={() => setPart(widenPassage(text, part, STEP_LENGTH, -1))} sx={moreButton}>
            Show text before
          </Button>
        )}
        {text.slice(part.start, start)}
        {passage === null ? null : (
          <Box component="mark" ref={bringIntoView} sx={mark}>
            {text.slice(start, end)}
          </Box>
        )}
        {text.slice(end, part.end)}
        {part.end === text.length ? null : (
          <Button onClick={() => setPart(widenPassage(text, part, STEP_LENGTH, 1))} sx={moreButton}>
            Show text after
          </Button>
        )}
      </Box>
      {part.start === 0 && part.end === text.length ? null : (
        <Box sx={{ fontSize: '0.75rem', color: 'text.secondary' }}>
          Characters {count(part.start + 1)} to {count(part.end)} of {count(text.length)}
        </Box>
      )}
    </>
  );
}

function bringIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'center' });
}

const well = {
  flex: '1 1 auto',
  minHeight: 120,
  m: 0,
  p: 1.25,
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
const moreButton = { display: 'block', my: 0.5 } as const;
const mark = {
  color: 'text.primary',
  bgcolor: 'mark',
  fontWeight: 700,
  outline: '2px solid',
  outlineColor: 'primary.main',
  outlineOffset: 1,
  borderRadius: 0.5,
} as const;
