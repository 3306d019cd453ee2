import Box from '@mui/material/Box';
import { memo } from 'react';
import type { AnsiRun } from '../lib/ansi.ts';
import type { TextLine } from '../lib/text-lines.ts';
import { Coloured } from './coloured.tsx';
import { LineNumber, type NumberedLines, numbered } from './line-number.tsx';

interface Props {
  readonly line: TextLine;
  readonly runs: readonly AnsiRun[];
  readonly marked: boolean;
  readonly numbers?: NumberedLines | undefined;
}

/** A line of code, log or data, with its number if lines can be linked. */
export const CodeLine = memo(function CodeLine({ line, runs, marked, numbers }: Props) {
  const { text, start, number, isRest } = line;
  const isMarked = marked || numbers?.marked === number;
  return (
    <Box sx={[numbers !== undefined && numbered(numbers.digits), isMarked && { bgcolor: 'mark' }]}>
      {numbers === undefined || isRest ? null : <LineNumber line={number} lines={numbers} />}
      {text === '' ? '​' : <Coloured text={text} start={start} runs={runs} />}
    </Box>
  );
});
