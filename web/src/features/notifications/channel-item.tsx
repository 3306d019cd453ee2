import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import { useMutation } from 'urql';
import { refusalText } from '../../components/notice.tsx';
import { StatusDot } from '../../components/status-chip.tsx';
import type { ChannelItemFragment } from '../../graphql/gen/documents.ts';
import { TestNotificationChannelDocument } from '../../graphql/gen/lazy-documents.ts';
import { KINDS } from './notification-labels.ts';

interface Props {
  readonly channel: ChannelItemFragment;
  /** True if only this channel's deliveries are shown. */
  readonly isChosen: boolean;
  readonly choose: (name: string) => void;
  readonly changed: () => void;
}

/** A channel: where it leads, which events it gets, and whether it delivers. */
export function ChannelItem({ channel, isChosen, choose, changed }: Props) {
  const { name, kind, target, events, pending, problem } = channel;
  const [{ fetching, data, error }, test] = useMutation(TestNotificationChannelDocument);
  const refusal = refusalText(data?.testNotificationChannel, error);
  const send = async (): Promise<void> => {
    await test({ name });
    changed();
  };
  return (
    <Box component="li" sx={row}>
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1 }}>
          <StatusDot tone={problem === null ? 'done' : 'failed'} />
          <Link
            component="button"
            onClick={() => choose(isChosen ? '' : name)}
            aria-pressed={isChosen}
            title="Show only its deliveries"
            sx={{ minHeight: 24, fontWeight: 650, color: 'text.primary', overflowWrap: 'anywhere' }}
          >
            {name}
          </Link>
          <Box component="span" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
            {KINDS[kind]} · <bdi>{target}</bdi>
          </Box>
        </Box>
        <Box sx={quiet}>{events.length === 0 ? 'No rule sends events to it' : events.join(', ')}</Box>
        {pending === 0 ? null : (
          <Box sx={quiet}>{pending === 1 ? '1 notification waits' : `${pending} notifications wait`}</Box>
        )}
        {problem === null ? null : <Box sx={{ mt: 0.25, color: 'error.main' }}>{problem}</Box>}
        {refusal === undefined ? null : (
          <Box role="alert" sx={{ mt: 0.25, color: 'error.main' }}>
            {refusal}
          </Box>
        )}
      </Box>
      <Button
        variant="outlined"
        aria-label={`Send test to ${name}`}
        loading={fetching}
        onClick={() => void send()}
      >
        Send test
      </Button>
    </Box>
  );
}

const row = {
  display: 'flex',
  alignItems: 'start',
  gap: 1.5,
  px: 1.5,
  py: 1.25,
  fontSize: '0.8125rem',
} as const;
const quiet = { mt: 0.25, color: 'text.secondary', overflowWrap: 'anywhere' } as const;
