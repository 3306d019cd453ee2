import Box from '@mui/material/Box';
import { useEffect, useState } from 'react';
import { useConnectionState, useTransport } from '../graphql/live-connection-context.tsx';
import { visuallyHidden } from '../lib/visually-hidden.ts';
import { StatusDot } from './status-chip.tsx';

// Time (ms) for which a connection must be lost before the chip shows "Reconnecting…".
const REPORT_AFTER_MS = 700;

const OVER_HTTP =
  'Live updates use HTTP, because WebSocket connections to the server fail. They pause while this tab is hidden.';

/** Shows if the page receives live updates. Shows nothing while the page has no subscription. */
export function ConnectionChip() {
  const state = useConnectionState();
  const lost = state === 'waiting' || state === 'connecting';
  const isReported = useDelayed(lost, REPORT_AFTER_MS);
  const isHttp = useTransport() === 'http';
  const label = state === 'idle' ? '' : isReported ? 'Reconnecting…' : isHttp ? 'Live over HTTP' : 'Live';
  const title = isReported
    ? 'Connection to the server lost. Reconnecting automatically.'
    : isHttp
      ? OVER_HTTP
      : 'Live updates are on.';
  return (
    <Box
      role="status"
      title={label === '' ? undefined : title}
      sx={{
        display: 'inline-flex',
        alignItems: 'center',
        gap: 0.75,
        fontSize: '0.75rem',
        fontWeight: 600,
        color: isReported ? 'status.late' : 'text.secondary',
      }}
    >
      {label === '' ? null : <StatusDot tone={isReported ? 'late' : 'done'} />}
      {/* The header of a phone has no room for a text. A lost connection is told at the bottom. */}
      <Box component="span" sx={isReported ? atBottomOnPhone : quietOnPhone}>
        {label}
      </Box>
    </Box>
  );
}

const PHONE = '@media (max-width: 599.95px)';
const quietOnPhone = { [PHONE]: visuallyHidden } as const;
const atBottomOnPhone = {
  [PHONE]: {
    position: 'fixed',
    bottom: 8,
    left: 8,
    px: 1,
    py: 0.5,
    bgcolor: 'background.paper',
    border: '1px solid',
    borderColor: 'divider',
    borderRadius: 1,
    zIndex: 'tooltip',
  },
} as const;

function useDelayed(value: boolean, ms: number): boolean {
  const [delayed, setDelayed] = useState(false);
  useEffect(() => {
    if (!value) {
      setDelayed(false);
      return;
    }
    const timer = setTimeout(() => setDelayed(true), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return delayed;
}
