import Box from '@mui/material/Box';
import type { MouseEvent } from 'react';

/** How lines of a text are led to; they count from 1. */
export interface LineLinks {
  readonly urlOf: (line: number) => string;
  /** The line that the page's address leads to. */
  readonly named: number | null;
}

/** What a box that numbers its lines needs to know. */
export interface NumberedLines {
  readonly urlOf: LineLinks['urlOf'];
  readonly marked: number | null;
  /** The link to this line is wanted. */
  readonly take: (line: number) => void;
  /** Digits of the highest number. */
  readonly digits: number;
}

/**
 * A link to a line, before it: pressed, it is copied. No stop of the Tab key, for there may be thousands: who uses no
 * mouse finds the line in the whole window, and takes its link there.
 */
export function LineNumber({ line, lines }: { line: number; lines: NumberedLines }) {
  const onClick = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    lines.take(line);
  };
  return (
    <Box
      component="a"
      href={new URL(lines.urlOf(line)).hash}
      tabIndex={-1}
      aria-label={`Copy the link to line ${line}`}
      title={`Copy the link to line ${line}`}
      data-line={line}
      onClick={onClick}
      sx={number}
      style={{ width: `${lines.digits + 1}ch` }}
    />
  );
}

/** What a line with a number looks like: its text begins right of all numbers, also where it wraps. */
export const numbered = (digits: number) =>
  ({ position: 'relative', minHeight: '1.55em', pl: `${digits + 2}ch` }) as const;

const number = {
  position: 'absolute',
  left: 0,
  display: 'block',
  textAlign: 'right',
  color: 'text.secondary',
  textDecoration: 'none',
  userSelect: 'none',
  // Not a word of the text: it is neither found nor copied with it.
  '&::before': { content: 'attr(data-line)' },
  '&:hover': { color: 'primary.main', textDecoration: 'underline' },
} as const;
