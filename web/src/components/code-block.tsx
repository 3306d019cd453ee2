import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { type AnsiText, readAnsi } from '../lib/ansi.ts';
import { startOfLine, textLines } from '../lib/text-lines.ts';
import { mono } from '../theme.ts';
import { CodeLine } from './code-line.tsx';
import { Coloured } from './coloured.tsx';
import { CopyButton } from './copy-button.tsx';
import { ExpandIcon } from './icons.tsx';
import type { LineLinks, NumberedLines } from './line-number.tsx';
import { LongText } from './long-text.tsx';
import { TimeSeriesCharts } from './time-series-charts.tsx';
import { useLineLinks } from './use-line-links.ts';

const CodeViewer = lazy(() => import('./code-viewer.tsx'));

// Maximum length (characters) of a text that the browser lays out completely without a noticeable delay.
const SHORT = 8_000;

interface Props {
  readonly text: string;
  readonly label: string;
  /** Maximum height (px); longer texts scroll. */
  readonly maxHeight?: number;
  /** Links to the lines. Without them, lines have no numbers. */
  readonly links?: LineLinks | undefined;
  /** Offset (UTF-16 code units) to scroll a long text to; `null` for none. */
  readonly place?: number | null;
}

/**
 * Shows code, a log or data unchanged in a scrolling box with copy and full-window buttons. Above the box, draws a
 * chart for each time series in the text.
 */
export function CodeBlock({ text: rawText, label, maxHeight = 360, links, place = null }: Props) {
  const text = useMemo(() => readAnsi(rawText), [rawText]);
  const [isFullWindow, setFullWindow] = useState(false);
  const { numbers, status } = useLineLinks(text.plain, links);
  const linkedLine = links?.named ?? null;
  const open = `Open ${label.toLowerCase()} full screen`;
  const block = (
    <Box className="code" sx={frame}>
      {text.plain.length <= SHORT ? (
        <ShortText
          text={text}
          label={label}
          maxHeight={maxHeight}
          numbers={numbers}
          linkedLine={linkedLine}
        />
      ) : (
        <Box sx={textBox}>
          <LongText
            text={text}
            label={label}
            maxHeight={maxHeight - 20}
            place={place ?? startOfLine(text.plain, linkedLine)}
            numbers={numbers}
          />
        </Box>
      )}
      <Box sx={tools}>
        <Box role="status" sx={{ px: 0.5, alignSelf: 'center', fontSize: '0.75rem' }}>
          {isFullWindow ? '' : status}
        </Box>
        <CopyButton label={`Copy ${label.toLowerCase()}`} text={() => text.plain} />
        <Tooltip title={open}>
          <IconButton aria-label={open} onClick={() => setFullWindow(true)}>
            <ExpandIcon fontSize="small" />
          </IconButton>
        </Tooltip>
      </Box>
      {isFullWindow ? (
        <Suspense>
          <CodeViewer
            text={text}
            label={label}
            numbers={numbers}
            status={status}
            close={() => setFullWindow(false)}
          />
        </Suspense>
      ) : null}
    </Box>
  );
  return (
    <>
      <TimeSeriesCharts text={text.plain} />
      {block}
    </>
  );
}

interface ShortTextProps {
  readonly text: AnsiText;
  readonly label: string;
  readonly maxHeight: number;
  readonly numbers: NumberedLines | undefined;
  readonly linkedLine: number | null;
}

function ShortText({ text, label, maxHeight, numbers, linkedLine }: ShortTextProps) {
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    const line = box.current?.querySelector<HTMLElement>(`[data-line="${linkedLine}"]`)?.parentElement;
    // Scrolls only the box; `scrollIntoView` would scroll the page too.
    if (line) box.current!.scrollTop = line.offsetTop - maxHeight / 2;
  }, [linkedLine, maxHeight]);
  return (
    <Box
      component="pre"
      ref={box}
      tabIndex={0}
      role="region"
      aria-label={label}
      sx={[textBox, { position: 'relative' }]}
      style={{ maxHeight }}
      data-start={numbers === undefined ? 0 : undefined}
    >
      {numbers === undefined ? (
        <Coloured text={text.plain} start={0} runs={text.runs} />
      ) : (
        textLines(text.plain).map((line) => (
          <CodeLine key={line.start} line={line} runs={text.runs} marked={false} numbers={numbers} />
        ))
      )}
    </Box>
  );
}

const textBox = {
  m: 0,
  p: 1.25,
  pr: { xs: 1.25, sm: 9 },
  minHeight: 38,
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
const frame = {
  position: 'relative',
  minWidth: 0,
  display: { xs: 'flex', sm: 'block' },
  flexDirection: 'column-reverse',
} as const;
const tools = {
  position: { xs: 'static', sm: 'absolute' },
  justifyContent: 'flex-end',
  top: 4,
  right: 12,
  display: 'flex',
  bgcolor: { sm: 'well' },
  borderRadius: 1,
} as const;
