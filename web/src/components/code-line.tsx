import Box from '@mui/material/Box';
import { memo } from 'react';
import type { AnsiRun } from '../lib/ansi.ts';
import type { Passage } from '../lib/passage.ts';
import type { TextLine } from '../lib/text-lines.ts';
import { Coloured } from './coloured.tsx';
import { LineNumber, type NumberedLines, numbered } from './line-number.tsx';

interface Props {
  readonly line: TextLine;
  readonly runs: readonly AnsiRun[];
  readonly marked: boolean;
  readonly numbers?: NumberedLines | undefined;
  /** The marked part of the whole text; `null` for none. */
  readonly passage?: Passage | null;
}

/** A line of code, log or data, with its number if lines can be linked. */
export const CodeLine = memo(function CodeLine({ line, runs, marked, numbers, passage = null }: Props) {
  const { text, start, number, isRest } = line;
  const isMarked = marked || numbers?.marked === number;
  return (
    <Box
      data-start={start}
      sx={[numbers !== undefined && numbered(numbers.digits), isMarked && { bgcolor: 'mark' }]}
    >
      {numbers === undefined || isRest ? null : <LineNumber line={number} lines={numbers} />}
      {text === '' ? '​' : <MarkedLine line={line} runs={runs} passage={passage} />}
    </Box>
  );
});

function MarkedLine({ line: { text, start }, runs, passage }: Pick<Props, 'line' | 'runs' | 'passage'>) {
  const from = Math.max(0, (passage?.start ?? 0) - start);
  const to = Math.min(text.length, (passage?.end ?? 0) - start);
  if (from >= to) return <Coloured text={text} start={start} runs={runs} />;
  return (
    <>
      <Coloured text={text.slice(0, from)} start={start} runs={runs} />
      <Box component="mark" sx={mark}>
        <Coloured text={text.slice(from, to)} start={start + from} runs={runs} />
      </Box>
      <Coloured text={text.slice(to)} start={start + to} runs={runs} />
    </>
  );
}

const mark = {
  color: 'text.primary',
  bgcolor: 'mark',
  fontWeight: 700,
  outline: '2px solid',
  outlineColor: 'primary.main',
  outlineOffset: 1,
  borderRadius: 0.5,
} as const;
