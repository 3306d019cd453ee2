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
      {/* Phones have no room for a text while all is well. */}
      <Box component="span" sx={isReported ? {} : quietOnPhone}>
        {label}
      </Box>
    </Box>
  );
}

const quietOnPhone = { '@media (max-width: 599.95px)': visuallyHidden } as const;

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
