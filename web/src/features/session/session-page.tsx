import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Skeleton from '@mui/material/Skeleton';
import { useEffect, useMemo } from 'react';
import { Link as RouterLink, useParams } from 'react-router';
import { useQuery } from 'urql';
import { HEADER_HEIGHT, Page } from '../../components/app-shell.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { SessionPageDocument } from '../../graphql/gen/documents.ts';
import { alertTitle } from '../../lib/data-text.ts';
import { isFinished } from '../../lib/status.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { statusLook } from '../../theme.ts';
import { Conclusion } from './conclusion.tsx';
import { SessionAside } from './session-aside.tsx';
import { type SessionDetail, SessionHeader } from './session-header.tsx';
import { SessionTimeline } from './session-timeline.tsx';
import type { TimelineState } from './timeline-reducer.ts';
import { useSessionStream } from './use-session-stream.ts';

// Stages end and sessions change status in bursts: one reading for all of a burst.
const REREAD_AFTER_MS = 300;

/** One investigation, as it happens or as it was. */
export default function SessionPage() {
  const { id = '' } = useParams();
  const [{ data, error }, reread] = useQuery({
    query: SessionPageDocument,
    variables: { id },
    requestPolicy: 'cache-and-network',
  });
  const stored = data?.session ?? null;
  const { state, refused } = useSessionStream(stored?.id ?? null);
  const { stages, session: live, caughtUp } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of status or stages is the reason to read again
  useEffect(() => {
    if (!caughtUp) return;
    const timer = setTimeout(() => reread({ requestPolicy: 'network-only' }), REREAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [caughtUp, live, stages, reread]);

  if (stored !== null) return <Detail stored={stored} state={state} refused={refused} />;
  return (
    <Page>
      <Title text="Session" />
      {error ? (
        <ErrorNotice
          what="This session could not be read."
          error={error}
          retry={() => reread({ requestPolicy: 'network-only' })}
        />
      ) : data === undefined ? (
        <Skeleton variant="rounded" height={320} aria-label="Loading the session" />
      ) : (
        <NotFound />
      )}
    </Page>
  );
}

interface DetailProps {
  readonly stored: SessionDetail;
  readonly state: TimelineState;
  readonly refused: string | null;
}

function Detail({ stored, state, refused }: DetailProps) {
  const session = withLive(stored, state);
  const title = useMemo(
    () => alertTitle(stored.alertData) || stored.alertType,
    [stored.alertData, stored.alertType],
  );
  const { executiveSummary, finalAnalysis } = stored;
  const conclusions = useMemo(
    () => [executiveSummary, finalAnalysis].filter((text) => text !== null),
    [executiveSummary, finalAnalysis],
  );
  return (
    <Page>
      <Title text={`${statusLook[session.status].label}: ${title}`} />
      <SessionHeader session={session} title={title} />
      <Box sx={columns}>
        <Box sx={{ minWidth: 0 }}>
          <Conclusions session={stored} />
        </Box>
        <Box sx={aside}>
          <SessionAside session={session} stages={state.stages} />
        </Box>
        <Box sx={{ minWidth: 0, gridColumn: { lg: 1 } }}>
          <SessionTimeline
            state={state}
            status={session.status}
            live={!isFinished(session.status)}
            refused={refused}
            conclusions={conclusions}
          />
        </Box>
      </Box>
    </Page>
  );
}

/** The stream is newer than what was read, once its replay is over. */
function withLive(stored: SessionDetail, { session, caughtUp }: TimelineState): SessionDetail {
  return session === null || !caughtUp ? stored : { ...stored, ...session };
}

/** What the reader came for stands first, on a phone too. */
function Conclusions({ session }: { session: SessionDetail }) {
  const { executiveSummary, executiveSummaryError, finalAnalysis } = session;
  return (
    <>
      {executiveSummary === null ? null : (
        <Conclusion strong title="Executive summary" text={executiveSummary} />
      )}
      {executiveSummaryError === null || executiveSummary !== null ? null : (
        <Box sx={{ mb: 2, color: 'text.secondary', fontSize: '0.8125rem' }}>
          No executive summary: {executiveSummaryError}
        </Box>
      )}
      {finalAnalysis === null ? null : <Conclusion title="Final analysis" text={finalAnalysis} />}
    </>
  );
}

function Title({ text }: { text: string }) {
  useDocumentTitle(text);
  return null;
}

function NotFound() {
  return (
    <EmptyNotice title="There is no such session">
      It may have been removed, or the link is not complete.{' '}
      <Link component={RouterLink} to="/">
        Go to the sessions
      </Link>
    </EmptyNotice>
  );
}

// The conclusions' box is empty while there are none: rows have no gap, the boxes their own margins.
const columns = {
  display: 'grid',
  columnGap: 3,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 380px' },
  gridTemplateRows: { lg: 'auto 1fr' },
} as const;

const aside = {
  minWidth: 0,
  mb: 2,
  gridColumn: { lg: 2 },
  gridRow: { lg: '1 / 3' },
  position: { lg: 'sticky' },
  top: HEADER_HEIGHT + 16,
  maxHeight: { lg: `calc(100dvh - ${HEADER_HEIGHT + 32}px)` },
  overflowY: { lg: 'auto' },
} as const;
