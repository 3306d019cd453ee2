import Box from '@mui/material/Box';
import type { MouseEvent } from 'react';

/** Links to the lines of a text. Line numbers count from 1. */
export interface LineLinks {
  readonly urlOf: (line: number) => string;
  /** The line in the page's address; null if none. */
  readonly named: number | null;
}

export interface NumberedLines {
  /** Links of the lines; `null` if the lines have numbers but no links. */
  readonly link: { readonly urlOf: LineLinks['urlOf']; readonly copy: (line: number) => void } | null;
  readonly marked: number | null;
  readonly digits: number;
}

/**
 * A line number that copies the line's link when clicked. Line numbers are no Tab stops, because there may be
 * thousands. Keyboard users copy the link in the full-window viewer.
 */
export function LineNumber({ line, lines }: { line: number; lines: NumberedLines }) {
  const { link } = lines;
  const width = { width: `${lines.digits + 1}ch` };
  if (link === null) return <Box component="span" aria-hidden data-line={line} sx={number} style={width} />;
  const onClick = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    link.copy(line);
  };
  return (
    <Box
      component="a"
      href={new URL(link.urlOf(line)).hash}
      tabIndex={-1}
      aria-label={`Copy link to line ${line}`}
      title={`Copy link to line ${line}`}
      data-line={line}
      onClick={onClick}
      sx={[number, linked]}
      style={width}
    />
  );
}

/** Style of a numbered line. The text begins right of the numbers, also where it wraps. */
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
  // Line numbers are generated content, so that search and copy skip them.
  '&::before': { content: 'attr(data-line)' },
} as const;
const linked = { '&:hover': { color: 'primary.main', textDecoration: 'underline' } } as const;
