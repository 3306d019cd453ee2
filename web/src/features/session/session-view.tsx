import Box from '@mui/material/Box';
import Fab from '@mui/material/Fab';
import Link from '@mui/material/Link';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { RulesContext } from '../../components/ai-mark.tsx';
import { Page } from '../../components/app-shell.tsx';
import { ArrowDownIcon, FlagIcon } from '../../components/icons.tsx';
import { WaitingContext } from '../../components/status-chip.tsx';
import { useRights } from '../../components/use-rights.ts';
import type { ChatQuestionFragment } from '../../graphql/gen/documents.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { isFinished } from '../../lib/status.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { type Follow, useFollow } from '../../lib/use-follow.ts';
import { useInView } from '../../lib/use-in-view.ts';
import { ChatPanel } from '../chat/chat-panel.tsx';
import { chatTurns } from '../chat/chat-turns.ts';
import { HypothesesCard } from '../hypotheses/hypotheses-card.tsx';
import { RunningPlan } from '../plan/running-plan.tsx';
import { outcomeText } from '../report/outcome-chip.tsx';
import { VERDICT_ID } from '../report/report-card.tsx';
import { ReviewCard } from '../review/review-card.tsx';
import { ScoreCard } from '../score/score-card.tsx';
import { SituationCard } from '../situation/situation-card.tsx';
import { groundingOfConclusion } from '../timeline/grounding.ts';
import { BELOW_HEAD } from '../timeline/sticky-height.ts';
import { TimelineArea } from '../timeline/timeline-area.tsx';
import { groupTimeline, withoutRunningWork } from '../timeline/timeline-groups.ts';
import type { TimelineStructure } from '../timeline/timeline-store.ts';
import type { SessionStream } from '../timeline/use-session-stream.ts';
import { Conclusions } from './conclusions.tsx';
import { ProgressNote } from './health-strip.tsx';
import { isByRules } from './is-by-rules.ts';
import { ScrollAnchor } from './scroll-anchor.tsx';
import { SessionAside } from './session-aside.tsx';
import type { SessionDetail } from './session-detail.ts';
import { SessionStickyHeader } from './session-sticky-header.tsx';
import { SessionToolbar } from './session-toolbar.tsx';
import { SessionWait } from './session-wait.tsx';
import { SteerPanel } from './steer-panel.tsx';
import { useSessionShortcuts } from './use-session-shortcuts.ts';

/**
 * Shows a running or finished session: the outcome first, then the timeline. When the investigation ends, the
 * page scrolls to the outcome for a viewer who follows the progress; for others, the scroll position stays.
 */
export function SessionView({ stored, stream }: { stored: SessionDetail; stream: SessionStream }) {
  const { state, refusal, applyEvent } = stream;
  const { session: liveSession, caughtUp } = state;
  const session = useMemo(
    () => withLiveStatus(stored, liveSession, caughtUp),
    [stored, liveSession, caughtUp],
  );
  const ended = isFinished(session.status);
  const [startedLive] = useState(!ended);
  const missingRight = useRights().whyNot('CHAT');
  // True once the query has read the finished session completely; only then does the outcome appear.
  const isSettled = isFinished(stored.status);
  const { stages, executions, items, questions } = state;
  const isConcluding = useMemo(
    () => [...items.values()].some(({ type }) => type === 'CONCLUSION_REQUESTED'),
    [items],
  );
  const isQueued = session.status === 'PENDING';
  const groups = useMemo(() => {
    const all = groupTimeline({ stages, executions, items });
    return isQueued ? all.map(withoutRunningWork) : all;
  }, [stages, executions, items, isQueued]);
  const investigation = useMemo(() => groups.filter(({ stage }) => stage?.type !== 'CHAT'), [groups]);
  const grounding = useMemo(
    () => groundingOfConclusion(investigation, stored.finalAnalysis),
    [investigation, stored.finalAnalysis],
  );
  const turns = useMemo(() => chatTurns(questions, groups), [questions, groups]);
  const answering = turns.some((turn) => turn.running);
  const follow = useFollow(startedLive || answering, startedLive);
  const { executiveSummary, finalAnalysis } = stored;
  const { errorMessage } = session;
  const askDisabledReason = stored.chatRefusal?.message ?? missingRight;
  const concluded = isSettled && (finalAnalysis ?? executiveSummary) !== null;
  const shownElsewhere = useMemo(
    () => [errorMessage, executiveSummary, finalAnalysis].filter((text) => text !== null),
    [errorMessage, executiveSummary, finalAnalysis],
  );
  const outcomeScroll = useScrollToOutcome(follow);
  const verdictInView = useInView(VERDICT_ID, BELOW_HEAD.sm, isSettled);
  const ask = isSettled && askDisabledReason === null ? focusQuestionField : undefined;
  useSessionShortcuts(session, ask);
  const { title } = stored;
  const byRules = useMemo(() => isByRules(stored, executions), [stored, executions]);
  useDocumentTitle(`${outcomeText(session)}: ${title}`);
  const acceptQuestion = useCallback(
    (message: ChatQuestionFragment) =>
      applyEvent({ __typename: 'ChatMessageAdded', cursor: null, at: message.createdAt, message }),
    [applyEvent],
  );

  const timeline = (
    <TimelineArea
      state={state}
      groups={investigation}
      status={session.status}
      refusal={refusal}
      shownElsewhere={shownElsewhere}
      follow={follow}
      goToConclusion={concluded ? scrollToTop : undefined}
    />
  );
  return (
    <Page>
      <Link component={RouterLink} to="/" underline="hover" sx={backLink}>
        ← Sessions
      </Link>
      <SessionStickyHeader session={session} stages={stages} onAsk={ask} showVerdict={!verdictInView} />
      <SessionToolbar session={session} />
      <RulesContext value={byRules}>
        <WaitingContext value={session.waitingFor !== null}>
          <Box sx={layout}>
            <Box sx={{ minWidth: 0 }} id="conclusion">
              {session.waitingFor === null ? null : (
                <SessionWait session={session} waiting={session.waitingFor} />
              )}
              {isSettled ? (
                <Conclusions session={stored} grounding={grounding} />
              ) : session.status === 'PENDING' ? null : (
                <ProgressNote items={items} missingServers={stored.health.missingServers} />
              )}
              {isSettled ? null : <SituationCard sessionId={session.id} state={state} />}
              {isSettled ? null : <RunningPlan session={session} state={state} groups={investigation} />}
              {isSettled ? null : (
                <SteerPanel sessionId={session.id} status={session.status} isConcluding={isConcluding} />
              )}
              <HypothesesCard sessionId={session.id} items={items} />
              {isSettled && stored.review !== null ? (
                <ReviewCard sessionId={session.id} review={stored.review} />
              ) : null}
              {isSettled && (stored.finalAnalysis !== null || stored.latestScore !== null) ? (
                <ScoreCard sessionId={session.id} score={stored.latestScore} />
              ) : null}
            </Box>
            <Box sx={aside}>
              <SessionAside session={session} stages={stages} executions={executions} />
            </Box>
            <Box sx={{ minWidth: 0, gridColumn: { lg: 1 } }}>
              <ScrollAnchor
                active={isSettled}
                onBeforeLayout={outcomeScroll.onBeforeLayout}
                onAfterPaint={outcomeScroll.onAfterPaint}
              >
                {timeline}
              </ScrollAnchor>
              {isSettled ? (
                <Box sx={{ mt: 2 }}>
                  <ChatPanel
                    sessionId={session.id}
                    alert={stored.alertData}
                    turns={turns}
                    disabledReason={askDisabledReason}
                    onAccepted={acceptQuestion}
                    settle={follow.settle}
                    onSend={follow.jumpToEnd}
                  />
                </Box>
              ) : null}
              <div ref={follow.end} />
            </Box>
          </Box>
        </WaitingContext>
      </RulesContext>
      {(!ended || answering) && !follow.atEnd ? (
        <JumpButton label="Jump to latest" Icon={ArrowDownIcon} onClick={follow.jumpToEnd} />
      ) : outcomeScroll.unseen ? (
        <JumpButton label="Investigation ended. Show result" Icon={FlagIcon} onClick={scrollToTop} />
      ) : null}
    </Page>
  );
}

function JumpButton(props: { label: string; Icon: typeof FlagIcon; onClick: () => void }) {
  const { label, Icon, onClick } = props;
  return (
    <Box sx={jumpButton}>
      <Fab
        variant="extended"
        size="small"
        color="primary"
        onClick={onClick}
        sx={{ pointerEvents: 'auto', textTransform: 'none' }}
      >
        <Icon fontSize="small" sx={{ mr: 0.5 }} />
        {label}
      </Fab>
    </Box>
  );
}

// Scroll position (px) up to which the outcome at the top of the page is in view.
const AT_TOP = 100;

/**
 * At the end of the investigation, scrolls a viewer who follows it to the outcome. For other viewers, the scroll
 * position stays and `unseen` becomes true.
 */
function useScrollToOutcome({ isFollowing, hold }: Follow) {
  const wasFollowing = useRef(false);
  const [unseen, setUnseen] = useState(false);
  const onBeforeLayout = (): void => {
    wasFollowing.current = isFollowing() || window.scrollY < AT_TOP;
    hold(true);
  };
  useEffect(() => {
    if (!unseen) return;
    const hideOnceAtTop = (): void => {
      if (window.scrollY < AT_TOP) setUnseen(false);
    };
    window.addEventListener('scroll', hideOnceAtTop, { passive: true });
    return () => window.removeEventListener('scroll', hideOnceAtTop);
  }, [unseen]);
  const onAfterPaint = (): void => {
    hold(false);
    if (wasFollowing.current) scrollToTop();
    else setUnseen(true);
  };
  return { onBeforeLayout, onAfterPaint, unseen };
}

function focusQuestionField(): void {
  document.getElementById('questions')?.querySelector('textarea')?.focus();
}

/**
 * Returns the session with the stream's status, which is newer than the query's once stored events have been
 * read. If both statuses are equal, the query's reason to wait counts, because that reason may change without
 * an event.
 */
function withLiveStatus(
  stored: SessionDetail,
  liveSession: TimelineStructure['session'],
  caughtUp: boolean,
): SessionDetail {
  if (liveSession === null || !caughtUp) return stored;
  const { waitingFor, queuePosition } = liveSession.status === stored.status ? stored : liveSession;
  return { ...stored, ...liveSession, waitingFor, queuePosition };
}

function scrollToTop(): void {
  window.scrollTo({ top: 0, behavior: 'instant' });
}

// Grid rows have no gap, because the outcome's box may be empty; each box brings its own margin.
const layout = {
  display: 'grid',
  columnGap: 3,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 360px' },
  gridTemplateRows: { lg: 'auto 1fr' },
} as const;

const backLink = { display: 'inline-block', fontSize: '0.8125rem', lineHeight: '24px' } as const;

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

const jumpButton = {
  position: 'fixed',
  zIndex: 4,
  insetInline: 0,
  bottom: 20,
  display: 'flex',
  justifyContent: 'center',
  pointerEvents: 'none',
  '@media print': { display: 'none' },
} as const;
