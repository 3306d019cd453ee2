import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import { useMutation } from 'urql';
import { refusalText } from '../../components/notice.tsx';
import { StatusDot } from '../../components/status-chip.tsx';
import { Ago, TimeLeft } from '../../components/time.tsx';
import type { DeliveryItemFragment } from '../../graphql/gen/documents.ts';
import { RedeliverNotificationDocument } from '../../graphql/gen/lazy-documents.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { mono } from '../../theme.ts';
import { STATUSES } from './notification-labels.ts';

interface Props {
  readonly delivery: DeliveryItemFragment;
  readonly changed: () => void;
}

/** One notification to one channel: event, state, last error, and a button that sends it again. */
export function DeliveryItem({ delivery, changed }: Props) {
  const { id, channel, event, status, attempts, nextAttemptAt, lastError, createdAt, session } = delivery;
  const [{ fetching, data, error }, redeliver] = useMutation(RedeliverNotificationDocument);
  const refusal = refusalText(data?.redeliverNotification, error);
  const { tone, label } = STATUSES[status];
  const send = async (): Promise<void> => {
    await redeliver({ id });
    changed();
  };
  return (
    <Box component="li" sx={layout}>
      <Box sx={{ gridArea: 'state', display: 'flex', alignItems: 'center', gap: 0.75, fontWeight: 600 }}>
        <StatusDot tone={tone} />
        {label}
      </Box>
      <Box sx={{ gridArea: 'what', minWidth: 0, overflowWrap: 'anywhere' }}>
        <Box component="span" sx={{ fontFamily: mono, fontSize: '0.75rem' }}>
          {event}
        </Box>{' '}
        to {channel}
        {session === null ? null : (
          <Box>
            <Link
              component={RouterLink}
              to={sessionPath(session.id)}
              color="inherit"
              sx={{ lineHeight: '24px' }}
            >
              <bdi>{session.title ?? session.alertType}</bdi>
            </Link>
          </Box>
        )}
        {lastError === null ? null : (
          <Box sx={{ color: status === 'DELIVERED' ? 'text.secondary' : 'error.main' }}>{lastError}</Box>
        )}
        {refusal === undefined ? null : (
          <Box role="alert" sx={{ color: 'error.main' }}>
            {refusal}
          </Box>
        )}
      </Box>
      <Box sx={{ gridArea: 'when', color: 'text.secondary', textAlign: { sm: 'right' } }}>
        <Ago time={createdAt} />
        {attempts > 1 ? <Box>{attempts} attempts</Box> : null}
        {nextAttemptAt === null || attempts === 0 ? null : (
          <Box>
            next in <TimeLeft until={nextAttemptAt} />
          </Box>
        )}
      </Box>
      <Box sx={{ gridArea: 'action', justifySelf: 'end' }}>
        <Button
          variant="outlined"
          aria-label={`Send again: ${event} to ${channel}`}
          loading={fetching}
          onClick={() => void send()}
        >
          Send again
        </Button>
      </Box>
    </Box>
  );
}

const layout = {
  display: 'grid',
  alignItems: 'start',
  columnGap: 2,
  rowGap: 0.5,
  px: 1.5,
  py: 1,
  fontSize: '0.8125rem',
  gridTemplateColumns: { xs: 'minmax(0, 1fr) auto', sm: '96px minmax(0, 1fr) 130px 110px' },
  gridTemplateAreas: { xs: '"state when" "what what" "action action"', sm: '"state what when action"' },
} as const;
