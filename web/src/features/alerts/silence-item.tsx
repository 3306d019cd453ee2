import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { StatusDot } from '../../components/status-chip.tsx';
import { Ago, TimeLeft } from '../../components/time.tsx';
import { useRights } from '../../components/use-rights.ts';
import type { SilenceItemFragment } from '../../graphql/gen/documents.ts';
import { useNow } from '../../lib/use-now.ts';
import { mono, type StatusTone } from '../../theme.ts';
import { EndSilenceDialog } from './end-silence-dialog.tsx';

interface Props {
  readonly silence: SilenceItemFragment;
  /** Opens the form of a new silence with the same content. */
  readonly again: () => void;
  readonly changed: () => void;
}

const STATES: Readonly<Record<'active' | 'planned' | 'ended', { tone: StatusTone; label: string }>> = {
  active: { tone: 'stopped', label: 'Active' },
  planned: { tone: 'queued', label: 'Scheduled' },
  ended: { tone: 'done', label: 'Ended' },
};

export function SilenceItem({ silence, again, changed }: Props) {
  const [isConfirming, setConfirming] = useState(false);
  const now = useNow(true);
  const mayChange = useRights().may('REVIEW');
  const state = silenceStateOf(silence, now);
  const { tone, label } = STATES[state];
  const name = silence.matchers.join(', ');
  return (
    <Box component="li" sx={layout}>
      <Box sx={{ gridArea: 'state', display: 'flex', alignItems: 'center', gap: 0.75, fontWeight: 600 }}>
        <StatusDot tone={tone} />
        {label}
      </Box>
      <Box sx={{ gridArea: 'what', minWidth: 0 }}>
        <Box component="ul" aria-label="Matchers" sx={matchers}>
          {silence.matchers.map((matcher) => (
            <li key={matcher}>{matcher}</li>
          ))}
        </Box>
        <Box sx={{ mt: 0.5, overflowWrap: 'anywhere' }}>{silence.comment}</Box>
        <Box sx={quiet}>
          By {silence.createdBy}, <Ago time={silence.createdAt} />. {silencedText(silence.matchedCount)}
        </Box>
      </Box>
      <Box sx={{ gridArea: 'when', textAlign: { sm: 'right' } }}>
        <Timing silence={silence} state={state} />
      </Box>
      <Box sx={{ gridArea: 'action', justifySelf: 'end' }}>
        {!mayChange ? null : state === 'ended' ? (
          <Button variant="outlined" aria-label={`Repeat silence: ${name}`} onClick={again}>
            Repeat{' '}
          </Button>
        ) : (
          <Button variant="outlined" aria-label={`End silence ${name}`} onClick={() => setConfirming(true)}>
            End
          </Button>
        )}
      </Box>
      {isConfirming ? (
        <EndSilenceDialog
          silence={silence}
          close={() => setConfirming(false)}
          ended={() => {
            setConfirming(false);
            changed();
          }}
        />
      ) : null}
    </Box>
  );
}

function Timing({ silence, state }: { silence: SilenceItemFragment; state: keyof typeof STATES }) {
  if (state === 'active')
    return (
      <>
        <TimeLeft until={silence.endsAt} /> left
      </>
    );
  if (state === 'planned')
    return (
      <>
        Starts in <TimeLeft until={silence.startsAt} />
      </>
    );
  return (
    <>
      <Ago time={silence.endsAt} />
      {silence.endedBy === null ? null : <Box sx={quiet}>Ended early by {silence.endedBy}</Box>}
    </>
  );
}

function silenceStateOf({ startsAt, endsAt }: SilenceItemFragment, now: number): keyof typeof STATES {
  if (Date.parse(endsAt) <= now) return 'ended';
  return Date.parse(startsAt) > now ? 'planned' : 'active';
}

function silencedText(count: number): string {
  if (count === 0) return 'No alerts silenced yet.';
  return `${count === 1 ? '1 alert delivery' : `${count.toLocaleString('en')} alert deliveries`} silenced.`;
}

const layout = {
  display: 'grid',
  alignItems: 'start',
  columnGap: 2,
  rowGap: 0.75,
  px: 1.5,
  py: 1.25,
  fontSize: '0.8125rem',
  gridTemplateColumns: { xs: '1fr auto', sm: '84px minmax(0, 1fr) 120px 72px' },
  gridTemplateAreas: { xs: '"state when" "what what" "action action"', sm: '"state what when action"' },
} as const;
const matchers = {
  display: 'flex',
  flexWrap: 'wrap',
  gap: 0.5,
  m: 0,
  p: 0,
  listStyle: 'none',
  fontFamily: mono,
  fontSize: '0.75rem',
  '& > li': { px: 0.75, lineHeight: '20px', borderRadius: 0.5, bgcolor: 'well', overflowWrap: 'anywhere' },
} as const;
const quiet = { mt: 0.25, color: 'text.secondary', overflowWrap: 'anywhere' } as const;
