import Box from '@mui/material/Box';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import type { AnsiText } from '../lib/ansi.ts';
import type { Passage } from '../lib/passage.ts';
import { textLines } from '../lib/text-lines.ts';
import { CodeLine } from './code-line.tsx';
import type { NumberedLines } from './line-number.tsx';

// Height of an unwrapped line (px).
const LINE_HEIGHT = 19;

interface Props {
  readonly text: AnsiText;
  readonly label: string;
  readonly maxHeight: number | string;
  /** Offset (UTF-16 code units) whose line is scrolled into view and marked; null for none. */
  readonly place?: number | null;
  /** Numbers and links of the lines. Without them, lines have no numbers. */
  readonly numbers?: NumberedLines | undefined;
  /** The marked part of the text; `null` for none. */
  readonly passage?: Passage | null;
}

/** Shows a text of any length in a scrolling box. Only visible lines are rendered. */
export function LongText({ text, label, maxHeight, place = null, numbers, passage = null }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => textLines(text.plain), [text]);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 30,
  });
  const sought = place === null ? -1 : lines.findLastIndex(({ start }) => start <= place);
  useEffect(() => {
    if (sought >= 0) virtualizer.scrollToIndex(sought, { align: 'center' });
  }, [sought, virtualizer]);
  const shown = virtualizer.getVirtualItems();
  return (
    <Box
      ref={box}
      data-scrolls-itself
      tabIndex={0}
      role="region"
      aria-label={label}
      style={{ maxHeight }}
      sx={frame}
    >
      <Box style={{ height: virtualizer.getTotalSize() }} sx={{ position: 'relative' }}>
        <Box style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }} sx={inView}>
          {shown.map(({ index, key }) => (
            <div key={key} data-index={index} ref={virtualizer.measureElement}>
              <CodeLine
                line={lines[index]!}
                runs={text.runs}
                marked={passage === null && index === sought}
                numbers={numbers}
                passage={passage}
              />
            </div>
          ))}
        </Box>
      </Box>
    </Box>
  );
}

const frame = { overflow: 'auto', overflowAnchor: 'none' } as const;
const inView = { position: 'absolute', inset: '0 0 auto 0' } as const;
