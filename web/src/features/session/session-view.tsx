import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Page } from '../../components/app-shell.tsx';
import { ArrowDownIcon, FlagIcon } from '../../components/icons.tsx';
import { useRights } from '../../components/use-rights.ts';
import type { ChatQuestionFragment } from '../../graphql/gen/documents.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { isFinished } from '../../lib/status.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { type Follow, useFollow } from '../../lib/use-follow.ts';
import { statusLook } from '../../theme.ts';
import { ChatPanel } from '../chat/chat-panel.tsx';
import { chatTurns } from '../chat/chat-turns.ts';
import { ReviewCard } from '../review/review-card.tsx';
import { ScoreCard } from '../score/score-card.tsx';
import { groundingOfConclusion } from '../timeline/grounding.ts';
import { currentWait } from '../timeline/model-wait.ts';
import { BELOW_HEAD } from '../timeline/sticky-height.ts';
import { TimelineArea } from '../timeline/timeline-area.tsx';
import { groupTimeline } from '../timeline/timeline-groups.ts';
import type { TimelineStructure } from '../timeline/timeline-store.ts';
import type { SessionStream } from '../timeline/use-session-stream.ts';
import { Conclusions } from './conclusions.tsx';
import { Jump } from './jump.tsx';
import { HoldStill } from './scroll-anchor.tsx';
import { SessionAside } from './session-aside.tsx';
import { SessionHead } from './session-sticky-header.tsx';
import { type SessionDetail, SessionHeader } from './session-toolbar.tsx';
import { Underway } from './underway.tsx';

/**
 * Shows a live or finished session: first the outcome, then the timeline. At the end of the investigation, a viewer
 * who follows it is scrolled to the outcome; a viewer who reads elsewhere stays there.
 */
export function SessionView({ stored, stream }: { stored: SessionDetail; stream: SessionStream }) {
  const { state, refused, absorb } = stream;
  const { session: newest, caughtUp } = state;
  const session = useMemo(() => withLive(stored, newest, caughtUp), [stored, newest, caughtUp]);
  const ended = isFinished(session.status);
  const [live] = useState(!ended);
  const whyNotAsk = useRights().whyNot('CHAT');
  // The outcome appears at once, when the finished session has been read completely.
  const settled = isFinished(stored.status);
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
  const refusedToAsk = stored.chatRefusal?.message ?? whyNotAsk;
  const concluded = settled && (finalAnalysis ?? executiveSummary) !== null;
  const shown = useMemo(
    () => [errorMessage, executiveSummary, finalAnalysis].filter((text) => text !== null),
    [errorMessage, executiveSummary, finalAnalysis],
  );
  const rise = useRise(follow);
  const { title } = stored;
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
      toConclusion={concluded ? toTop : undefined}
    />
  );
  return (
    <Page>
      <Link component={RouterLink} to="/" underline="hover" sx={back}>
        ← Sessions
      </Link>
      <SessionHead
        session={session}
        stages={stages}
        waits={currentWait(groups) !== undefined}
        ask={settled && refusedToAsk === null ? askSomething : undefined}
      />
      <SessionHeader session={session} />
      <Box sx={columns}>
        <Box sx={{ minWidth: 0 }} id="conclusion">
          {settled ? (
            <Conclusions session={stored} grounding={grounding} />
          ) : session.status === 'PENDING' ? null : (
            <Underway items={items} />
          )}
          {settled && stored.review !== null ? (
            <ReviewCard sessionId={session.id} review={stored.review} />
          ) : null}
          {settled && (stored.finalAnalysis !== null || stored.latestScore !== null) ? (
            <ScoreCard sessionId={session.id} score={stored.latestScore} />
          ) : null}
        </Box>
        <Box sx={aside}>
          <SessionAside session={session} stages={stages} executions={executions} />
        </Box>
        <Box sx={{ minWidth: 0, gridColumn: { lg: 1 } }}>
          <HoldStill arrived={settled} before={rise.before} after={rise.after}>
            {timeline}
          </HoldStill>
          {settled ? (
            <Box sx={{ mt: 2 }}>
              <ChatPanel
                sessionId={session.id}
                alert={stored.alertData}
                turns={turns}
                refused={refusedToAsk}
                taken={taken}
                settle={follow.settle}
                follow={follow.jumpToEnd}
              />
            </Box>
          ) : null}
          <div ref={follow.end} />
        </Box>
      </Box>
      {(!ended || answering) && !follow.atEnd ? (
        <Jump label="Jump to latest" Icon={ArrowDownIcon} jump={follow.jumpToEnd} />
      ) : rise.unseen ? (
        <Jump label="It has ended: see the result" Icon={FlagIcon} jump={toTop} />
      ) : null}
    </Page>
  );
}

// A viewer who has scrolled at most this far (px) already sees the outcome.
const AT_TOP = 100;

/**
 * Scrolls a viewer who follows the investigation to its outcome. Any other viewer keeps the scroll position, and
 * `unseen` becomes true.
 */
function useRise({ isFollowing, hold }: Follow) {
  const watched = useRef(false);
  const [unseen, setUnseen] = useState(false);
  const before = (): void => {
    watched.current = isFollowing() || window.scrollY < AT_TOP;
    hold(true);
  };
  useEffect(() => {
    if (!unseen) return;
    const look = (): void => {
      if (window.scrollY < AT_TOP) setUnseen(false);
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, [unseen]);
  const after = (): void => {
    hold(false);
    if (watched.current) toTop();
    else setUnseen(true);
  };
  return { before, after, unseen };
}

function askSomething(): void {
  document.getElementById('questions')?.querySelector('textarea')?.focus();
}

/** Overlays the status from the stream, which is newer than the query's answer once the replay is over. */
function withLive(
  stored: SessionDetail,
  newest: TimelineStructure['session'],
  caughtUp: boolean,
): SessionDetail {
  return newest === null || !caughtUp ? stored : { ...stored, ...newest };
}

function toTop(): void {
  window.scrollTo({ top: 0, behavior: 'instant' });
}

// The outcome's box may be empty, so rows have no gap; each box brings its own margin.
const columns = {
  display: 'grid',
  columnGap: 3,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 360px' },
  gridTemplateRows: { lg: 'auto 1fr' },
} as const;

const back = { display: 'inline-block', fontSize: '0.8125rem', lineHeight: '24px' } as const;

const aside = {
  minWidth: 0,
  mb: 1,
  gridColumn: { lg: 2 },
  gridRow: { lg: '1 / 3' },
  position: { lg: 'sticky' },
  top: BELOW_HEAD.sm + 8,
  maxHeight: { lg: `calc(100dvh - ${BELOW_HEAD.sm + 24}px)` },
  overflowY: { lg: 'auto' },
} as const;
