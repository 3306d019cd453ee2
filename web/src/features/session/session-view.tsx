import Box from '@mui/material/Box';
import { useCallback, useMemo, useState } from 'react';
import { HEADER_HEIGHT, Page } from '../../components/app-shell.tsx';
import type { ChatQuestionFragment } from '../../graphql/gen/documents.ts';
import { alertTitle } from '../../lib/data-text.ts';
import { isFinished } from '../../lib/status.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { useFollow } from '../../lib/use-follow.ts';
import { statusLook } from '../../theme.ts';
import { ChatPanel } from '../chat/chat-panel.tsx';
import { chatTurns } from '../chat/chat-turns.ts';
import { Conclusions } from './conclusion.tsx';
import { groundingOfConclusion } from './grounding.ts';
import { JumpToLatest } from './jump-to-latest.tsx';
import { SessionAside } from './session-aside.tsx';
import { type SessionDetail, SessionHeader } from './session-header.tsx';
import { TimelineArea } from './timeline-area.tsx';
import { groupTimeline } from './timeline-groups.ts';
import type { TimelineStructure } from './timeline-store.ts';
import type { SessionStream } from './use-session-stream.ts';

/**
 * A session. One that is watched reads downwards in the order in which it happens: what comes is added at the end, and
 * nothing moves. One that had come to a conclusion when it was opened begins with that.
 */
export function SessionView({ stored, stream }: { stored: SessionDetail; stream: SessionStream }) {
  const { state, refused, absorb } = stream;
  const { session: newest, caughtUp } = state;
  const session = useMemo(() => withLive(stored, newest, caughtUp), [stored, newest, caughtUp]);
  const ended = isFinished(session.status);
  const [live] = useState(!ended);
  const [watched] = useState(live || (stored.finalAnalysis ?? stored.executiveSummary) === null);
  const { stages, executions, items, questions } = state;
  const groups = useMemo(() => groupTimeline({ stages, executions, items }), [stages, executions, items]);
  const investigation = useMemo(() => groups.filter(({ stage }) => stage?.type !== 'CHAT'), [groups]);
  const grounding = useMemo(
    () => groundingOfConclusion(investigation, stored.finalAnalysis),
    [investigation, stored.finalAnalysis],
  );
  const turns = useMemo(() => chatTurns(questions, groups), [questions, groups]);
  const answering = turns.some((turn) => turn.running);
  const follow = useFollow(live || answering, live);
  const { executiveSummary, finalAnalysis } = stored;
  const { errorMessage } = session;
  const concluded = !watched && (finalAnalysis ?? executiveSummary) !== null;
  const shown = useMemo(
    () =>
      [errorMessage, ...(watched ? [] : [executiveSummary, finalAnalysis])].filter((text) => text !== null),
    [watched, errorMessage, executiveSummary, finalAnalysis],
  );
  const title = useMemo(() => alertTitle(stored.alertData) || stored.alertType, [stored]);
  useDocumentTitle(`${statusLook[session.status].label}: ${title}`);
  const taken = useCallback(
    (message: ChatQuestionFragment) =>
      absorb({ __typename: 'ChatMessageAdded', cursor: null, at: message.createdAt, message }),
    [absorb],
  );

  const timeline = (
    <TimelineArea
      state={state}
      groups={investigation}
      status={session.status}
      refused={refused}
      shown={shown}
      follow={follow}
      toConclusion={concluded ? scrollToConclusion : undefined}
    />
  );
  const questionsArea = ended ? (
    <ChatPanel
      sessionId={session.id}
      turns={turns}
      refused={stored.chatRefusal?.message ?? null}
      taken={taken}
      settle={follow.settle}
      follow={follow.jumpToEnd}
    />
  ) : null;
  const end = <div ref={follow.end} />;
  return (
    <Page>
      <SessionHeader session={session} title={title} />
      <Box sx={columns}>
        <Box sx={{ minWidth: 0 }} id="conclusion">
          {watched ? null : <Conclusions session={stored} grounding={grounding} />}
          {watched ? null : questionsArea}
          {watched ? null : end}
        </Box>
        <Box sx={aside}>
          <SessionAside session={session} stages={stages} />
        </Box>
        <Box sx={{ minWidth: 0, gridColumn: { lg: 1 } }}>
          {timeline}
          {watched ? <Box sx={{ mt: 2 }}>{questionsArea}</Box> : null}
          {watched ? end : null}
        </Box>
      </Box>
      {(!ended || answering) && !follow.atEnd ? <JumpToLatest jump={follow.jumpToEnd} /> : null}
    </Page>
  );
}

/** The stream is newer than what was read, once it has told what is stored. */
function withLive(
  stored: SessionDetail,
  newest: TimelineStructure['session'],
  caughtUp: boolean,
): SessionDetail {
  return newest === null || !caughtUp ? stored : { ...stored, ...newest };
}

function scrollToConclusion(): void {
  window.scrollTo({ top: 0, behavior: 'instant' });
}

// The conclusions' box is empty while there are none: rows have no gap, the boxes their own margins.
const columns = {
  display: 'grid',
  columnGap: 3,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 360px' },
  gridTemplateRows: { lg: 'auto 1fr' },
} as const;

const aside = {
  minWidth: 0,
  mb: 1,
  gridColumn: { lg: 2 },
  gridRow: { lg: '1 / 3' },
  position: { lg: 'sticky' },
  top: HEADER_HEIGHT + 16,
  maxHeight: { lg: `calc(100dvh - ${HEADER_HEIGHT + 32}px)` },
  overflowY: { lg: 'auto' },
} as const;
