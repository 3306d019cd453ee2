import Box from '@mui/material/Box';
import { formatDuration } from '../../lib/format.ts';
import { visuallyHidden } from '../../lib/visually-hidden.ts';
import type { Span } from './trace-model.ts';
import { ZOOM_ACTIONS, type Zoom, type ZoomAction } from './zoom.ts';

const LOOKS: Readonly<Record<ZoomAction, { label: string; sign: string; key: string }>> = {
  in: { label: 'Zoom in', sign: '+', key: '+' },
  out: { label: 'Zoom out', sign: '−', key: '-' },
  earlier: { label: 'Show earlier', sign: '‹', key: 'ArrowLeft' },
  later: { label: 'Show later', sign: '›', key: 'ArrowRight' },
  reset: { label: 'Reset zoom', sign: 'Reset', key: '0' },
};

interface Props {
  readonly zoom: Zoom;
  readonly whole: Span;
  /** Start of the investigation (ms since the epoch). */
  readonly origin: number;
}

/** Buttons that change the zoom window of a chart. All stay enabled, so that the focus never gets lost. */
export function ZoomControls({ zoom: { view, act }, whole, origin }: Props) {
  const isWhole = view.start === whole.start && view.end === whole.end;
  const at = (time: number): string => formatDuration(Math.max(0, Math.round(time - origin)));
  return (
    <Box role="toolbar" aria-label="Zoom of the time axis" sx={bar}>
      {ZOOM_ACTIONS.map((action) => {
        const { label, sign, key } = LOOKS[action];
        return (
          <Box
            key={action}
            component="button"
            type="button"
            aria-label={label}
            aria-keyshortcuts={key}
            title={label}
            onClick={() => act(action)}
            sx={button}
          >
            {sign}
          </Box>
        );
      })}
      <Box role="status" sx={visuallyHidden}>
        {isWhole ? 'The whole time is shown.' : `Shown: ${at(view.start)} to ${at(view.end)}.`}
      </Box>
    </Box>
  );
}

const bar = { display: 'flex', alignItems: 'center', gap: 0.5 } as const;
const button = {
  minWidth: 24,
  height: 24,
  px: 0.75,
  border: '1px solid',
  borderColor: 'divider',
  borderRadius: 0.5,
  font: 'inherit',
  fontSize: '0.75rem',
  lineHeight: 1,
  color: 'text.secondary',
  background: 'none',
  cursor: 'pointer',
  '&:hover': { color: 'text.primary', bgcolor: 'well' },
} as const;
