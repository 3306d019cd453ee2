import Box from '@mui/material/Box';
import { keyframes } from '@mui/material/styles';
import { createContext, useContext } from 'react';
import type { SessionChangeFragment } from '../graphql/gen/documents.ts';
import { type StatusLook, type StatusTone, statusLook } from '../theme.ts';
import { waitLabel } from './waits.ts';

const pulse = keyframes`50% { opacity: 0.3; }`;

/** True below a session that waits: its running stages and agents show that they wait. */
export const WaitingContext = createContext(false);

/** A coloured dot that pulses while work runs, but not while the session waits. */
export function StatusDot({ tone: own }: { tone: StatusTone }) {
  const isWaiting = useContext(WaitingContext);
  const tone = isWaiting && own === 'running' ? 'late' : own;
  return (
    <Box
      component="span"
      aria-hidden="true"
      sx={{
        width: 8,
        height: 8,
        flex: 'none',
        borderRadius: '50%',
        bgcolor: `status.${tone}`,
        animation: tone === 'running' ? `${pulse} 1.8s ease-in-out infinite` : 'none',
      }}
    />
  );
}

/** A status in words and colour. `detail` follows the word, such as a queue position. */
export function StatusChip({
  status,
  detail,
}: {
  status: keyof typeof statusLook;
  detail?: string | undefined;
}) {
  const isWaiting = useContext(WaitingContext);
  const look = statusLook[status];
  if (isWaiting && look.tone === 'running') return <ToneChip tone="late" label="Waiting" detail={detail} />;
  return <ToneChip {...look} detail={detail} />;
}

/** A session's status with its queue position, or with what it waits for. */
export function SessionStatusChip({
  session: { status, waitingFor, queuePosition },
}: {
  session: StatusOfSession;
}) {
  const detail = waitLabel(waitingFor, status === 'PENDING' ? queuePosition : null);
  if (waitingFor === null || waitingFor.reason === 'SLOT' || waitingFor.reason === 'APPROVAL')
    return <StatusChip status={status} detail={status === 'PENDING' ? detail : undefined} />;
  return <ToneChip tone="late" label="Waiting" detail={detail} />;
}

type StatusOfSession = Pick<SessionChangeFragment, 'status' | 'waitingFor' | 'queuePosition'>;

function ToneChip({ tone, label, detail }: StatusLook & { detail: string | undefined }) {
  return (
    <Box
      component="span"
      sx={{
        display: 'inline-flex',
        alignItems: 'center',
        gap: 0.75,
        px: 1,
        py: 0.25,
        borderRadius: 4,
        fontSize: '0.75rem',
        fontWeight: 600,
        lineHeight: 1.5,
        whiteSpace: 'nowrap',
        color: `status.${tone}`,
        bgcolor: (theme) => `color-mix(in srgb, ${theme.vars?.palette.status[tone]} 12%, transparent)`,
      }}
    >
      <StatusDot tone={tone} />
      {label}
      {detail === undefined ? null : ` ${detail}`}
    </Box>
  );
}
