import Alert from '@mui/material/Alert';
import type { KeyboardEvent } from 'react';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice } from '../../components/notice.tsx';
import type { SessionStatus } from '../../graphql/gen/documents.ts';
import type { Follow } from '../../lib/use-follow.ts';
import { Timeline } from './timeline.tsx';
import type { StageGroup } from './timeline-groups.ts';
import type { TimelineStructure } from './timeline-store.ts';

interface Props {
  readonly state: TimelineStructure;
  readonly groups: readonly StageGroup[];
  readonly status: SessionStatus;
  /** The server's reason for refusing the session's events; `null` if it sends them. */
  readonly refusal: string | null;
  readonly shownElsewhere: readonly string[];
  readonly follow: Follow;
  readonly goToConclusion: (() => void) | undefined;
}

/** Shows the timeline, or a notice while it is empty. */
export function TimelineArea({
  state,
  groups,
  status,
  refusal,
  shownElsewhere,
  follow,
  goToConclusion,
}: Props) {
  const pauseByKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' || event.key === ' ') follow.pause();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handlers only detect that the viewer interacts
    <div onPointerDown={follow.pause} onKeyDown={pauseByKey}>
      {refusal === null ? null : (
        <Alert severity="error" variant="outlined" sx={{ mb: 2 }}>
          Could not load the timeline: {refusal}
        </Alert>
      )}
      {groups.length > 0 ? (
        <Timeline
          caughtUp={state.caughtUp}
          groups={groups}
          shownElsewhere={shownElsewhere}
          settle={follow.settle}
          pause={follow.pause}
          goToConclusion={goToConclusion}
        />
      ) : (
        <EmptyTimeline loaded={state.caughtUp} status={status} />
      )}
    </div>
  );
}

function EmptyTimeline({ loaded, status }: { loaded: boolean; status: SessionStatus }) {
  if (!loaded) return <Loading label="Loading timeline" height={240} />;
  if (status === 'PENDING') {
    return (
      <EmptyNotice title="Investigation not started">
        The investigation starts automatically when a slot is free.
      </EmptyNotice>
    );
  }
  if (status === 'IN_PROGRESS') return <EmptyNotice title="Starting the first agent" />;
  return (
    <EmptyNotice title="No timeline entries">The investigation ended before the first step.</EmptyNotice>
  );
}
