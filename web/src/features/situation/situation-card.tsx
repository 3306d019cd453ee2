import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { useEffect, useState } from 'react';
import { Disclosure } from '../../components/disclosure.tsx';
import { Ago } from '../../components/time.tsx';
import { SessionSituationDocument, type SessionSituationQuery } from '../../graphql/gen/documents.ts';
import { useLiveQuery } from '../../graphql/use-live-query.ts';
import { Link } from '../../lib/router.tsx';
import { useDelayedRefetch } from '../../lib/use-delayed-refetch.ts';
import type { TimelineStructure } from '../timeline/timeline-store.ts';
import { useLookedAway } from './use-looked-away.ts';

type Situation = NonNullable<SessionSituationQuery['session']>['situation'];

/** Least time between two reads of the situation (ms). */
const REREAD_MS = 2_000;

/** Participants named in the card, at most. */
const MAX_NAMES = 8;

interface Props {
  readonly sessionId: string;
  /** State of the session's event stream: each event is a reason to read the situation again. */
  readonly state: TimelineStructure;
}

/**
 * Shows who else is here or took part, and what changed since the viewer looked away. Shows nothing to a viewer who is
 * alone and missed nothing, because the plan and the timeline below it say the rest.
 */
export function SituationCard({ sessionId, state }: Props) {
  const since = useLookedAway();
  const [version, setVersion] = useState(0);
  const rereadSoon = useDelayedRefetch(() => setVersion((count) => count + 1), REREAD_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new state is a reason to read again
  useEffect(rereadSoon, [state, rereadSoon]);
  const { data } = useLiveQuery(SessionSituationDocument, { id: sessionId, since }, version);
  const situation = data?.session?.situation;
  if (situation === undefined) return null;
  const { participants } = situation;
  const changes = since === null ? [] : situation.changes;
  const here = participants.filter(({ present }) => present);
  const others = participants.filter(({ present }) => !present);
  if (participants.length < 2 && changes.length === 0) return null;
  return (
    <Paper component="section" aria-label="Situation" sx={{ mb: 1.5, p: 1.5, fontSize: '0.8125rem' }}>
      <Box sx={facts}>
        {here.length === 0 ? null : <span>Here: {namesOf(here)}</span>}
        {others.length === 0 ? null : <span>Took part: {namesOf(others)}</span>}
      </Box>
      {changes.length === 0 ? null : (
        <Disclosure
          summary={<span>Since you looked away: {count(changes.length, 'change', 'changes')}</span>}
          defaultOpen
        >
          <Changes changes={changes} />
        </Disclosure>
      )}
    </Paper>
  );
}

function Changes({ changes }: Pick<Situation, 'changes'>) {
  return (
    <Box component="ul" aria-label="Changes since you looked away" tabIndex={0} sx={list}>
      {changes.map(({ at, text, timelineEvent }) => (
        <Box component="li" key={timelineEvent?.id ?? `${at} ${text}`} sx={{ overflowWrap: 'anywhere' }}>
          <Box component="span" sx={{ color: 'text.secondary' }}>
            <Ago time={at} />
          </Box>{' '}
          {timelineEvent === null ? (
            text
          ) : (
            <Box component={Link} to={{ hash: `#event-${timelineEvent.sequenceNumber}` }} sx={link}>
              {text}
            </Box>
          )}
        </Box>
      ))}
    </Box>
  );
}

function namesOf(participants: Situation['participants']): string {
  const names = participants.slice(0, MAX_NAMES).map(({ name, role }) => `${name} (${role.toLowerCase()})`);
  const rest = participants.length - names.length;
  return rest > 0 ? `${names.join(', ')} and ${rest} more` : names.join(', ');
}

const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

const facts = { display: 'flex', flexWrap: 'wrap', columnGap: 2, mb: 0.5, color: 'text.secondary' } as const;
const list = { listStyle: 'none', m: 0, p: 0, maxHeight: 240, overflowY: 'auto' } as const;
// Links are at least 24 pixels high, so that a finger hits them.
const link = { display: 'inline-block', minHeight: 24, color: 'primary.main' } as const;
