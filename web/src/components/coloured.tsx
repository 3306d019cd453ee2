import Box from '@mui/material/Box';
import { Fragment, type ReactNode } from 'react';
import type { AnsiColor, AnsiRun } from '../lib/ansi.ts';

const COLORS: Readonly<Record<AnsiColor, string>> = {
  black: 'text.secondary',
  red: 'status.failed',
  green: 'status.done',
  yellow: 'status.late',
  blue: 'status.running',
  magenta: 'status.stopped',
  cyan: 'primary.main',
  white: 'text.primary',
};

/** Renders a piece of a text, from offset `start`, in the colours of `runs`. The runs may cover more than the piece. */
export function Coloured({ text, start, runs }: { text: string; start: number; runs: readonly AnsiRun[] }) {
  if (runs.length === 0) return text;
  const end = start + text.length;
  const parts: ReactNode[] = [];
  let at = start;
  for (let n = firstAfter(runs, start); n < runs.length && runs[n]!.start < end; n += 1) {
    const run = runs[n]!;
    const [from, to] = [Math.max(run.start, start), Math.min(run.end, end)];
    if (from > at) parts.push(<Fragment key={at}>{text.slice(at - start, from - start)}</Fragment>);
    parts.push(
      <Box
        key={`${from}:run`}
        component="span"
        sx={{
          color: run.color === null ? undefined : COLORS[run.color],
          fontWeight: run.bold ? 700 : undefined,
        }}
      >
        {text.slice(from - start, to - start)}
      </Box>,
    );
    at = to;
  }
  if (at < end) parts.push(<Fragment key={at}>{text.slice(at - start)}</Fragment>);
  return parts;
}

/** Returns the index of the first run that ends after `offset`. */
function firstAfter(runs: readonly AnsiRun[], offset: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle]!.end > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
