import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Fab from '@mui/material/Fab';
import Skeleton from '@mui/material/Skeleton';
import type { KeyboardEvent } from 'react';
import { ArrowDownIcon } from '../../components/icons.tsx';
import { EmptyNotice } from '../../components/notice.tsx';
import type { SessionStatus } from '../../graphql/gen/documents.ts';
import { useFollow } from '../../lib/use-follow.ts';
import { Timeline } from './timeline.tsx';
import type { TimelineState } from './timeline-reducer.ts';

interface Props {
  readonly state: TimelineState;
  readonly status: SessionStatus;
  readonly live: boolean;
  readonly refused: string | null;
  readonly conclusions: readonly string[];
}

/** The timeline, kept at its end for whoever is at its end. */
export function SessionTimeline({ state, status, live, refused, conclusions }: Props) {
  const { content, atEnd, jumpToEnd, pause } = useFollow<HTMLDivElement>(live);
  const pauseByKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' || event.key === ' ') pause();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notices that the reader does something inside
    <div ref={content} onPointerDown={pause} onKeyDown={pauseByKey}>
      {refused === null ? null : (
        <Alert severity="error" variant="outlined" sx={{ mb: 2 }}>
          The timeline cannot be read: {refused}
        </Alert>
      )}
      {state.items.size > 0 || state.stages.size > 0 ? (
        <Timeline state={state} conclusions={conclusions} />
      ) : (
        <Nothing state={state} status={status} />
      )}
      {live && !atEnd ? (
        <Box sx={{ position: 'sticky', bottom: 16, textAlign: 'center', height: 0 }}>
          <Fab
            variant="extended"
            size="small"
            color="primary"
            onClick={jumpToEnd}
            sx={{ top: -40, textTransform: 'none' }}
          >
            <ArrowDownIcon fontSize="small" sx={{ mr: 0.5 }} />
            Jump to latest
          </Fab>
        </Box>
      ) : null}
    </div>
  );
}

function Nothing({ state, status }: { state: TimelineState; status: SessionStatus }) {
  if (!state.caughtUp) return <Skeleton variant="rounded" height={240} aria-label="Loading the timeline" />;
  if (status === 'PENDING') {
    return (
      <EmptyNotice title="Waiting for a free slot">
        The investigation starts by itself as soon as another one ends. Nothing needs to be done.
      </EmptyNotice>
    );
  }
  if (status === 'IN_PROGRESS') return <EmptyNotice title="The first agent is starting" />;
  return <EmptyNotice title="Nothing was recorded">It ended before its first step.</EmptyNotice>;
}
