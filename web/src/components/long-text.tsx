import Box from '@mui/material/Box';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { textLines } from '../lib/text-lines.ts';

// Of a line that is not wrapped, in px.
const LINE_HEIGHT = 19;

/** Text of any length in a box that scrolls; only the lines in view are laid out. */
export function LongText({ text, label, maxHeight }: { text: string; label: string; maxHeight: number }) {
  const box = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => textLines(text), [text]);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 30,
  });
  const shown = virtualizer.getVirtualItems();
  return (
    <Box ref={box} tabIndex={0} role="region" aria-label={label} style={{ maxHeight }} sx={frame}>
      <Box style={{ height: virtualizer.getTotalSize() }} sx={{ position: 'relative' }}>
        <Box style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }} sx={inView}>
          {shown.map(({ index, key }) => (
            <div key={key} data-index={index} ref={virtualizer.measureElement}>
              {lines[index] === '' ? '​' : lines[index]}
            </div>
          ))}
        </Box>
      </Box>
    </Box>
  );
}

const frame = { overflow: 'auto', overflowAnchor: 'none' } as const;
const inView = { position: 'absolute', inset: '0 0 auto 0' } as const;
