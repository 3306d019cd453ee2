import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useCallback, useLayoutEffect, useRef } from 'react';
import type { ChatQuestionFragment } from '../../graphql/gen/documents.ts';
import { visuallyHidden } from '../../lib/visually-hidden.ts';
import { useStreamingTexts } from '../timeline/timeline-store.ts';
import { ChatComposer } from './chat-composer.tsx';
import { Question, Turn } from './chat-turn.tsx';
import type { ChatTurn } from './chat-turns.ts';
import { useAnswerReports } from './use-answer-reports.ts';
import { useChat } from './use-chat.ts';

interface Props {
  readonly sessionId: string;
  /** The alert's text, which answers may cite. */
  readonly alert: string;
  readonly turns: readonly ChatTurn[];
  /** Reason why the viewer cannot ask a question; `null` if asking is possible. */
  readonly disabledReason: string | null;
  /** Called with the stored question once the server has accepted it. */
  readonly onAccepted: (question: ChatQuestionFragment) => void;
  /** Called after each layout before the paint, to keep the end in view while the viewer follows it. */
  readonly settle: () => void;
  /** Called when the viewer sends a question; scrolls to the end of the page and follows it. */
  readonly onSend: () => void;
}

/** Shows the questions about an investigation and their answers, updated live. */
export function ChatPanel({ sessionId, alert, turns, disabledReason, onAccepted, settle, onSend }: Props) {
  const input = useRef<HTMLTextAreaElement>(null);
  const chat = useChat(sessionId, turns.length, onAccepted);
  // The event with the stored question may arrive before the response to the request that sent it.
  const pending = chat.pending?.shownBefore === turns.length ? chat.pending : null;
  const reports = useAnswerReports(sessionId, turns);
  const answering = turns.some((turn) => turn.running);
  const send = useCallback(() => {
    chat.send();
    onSend();
    input.current?.focus();
  }, [chat.send, onSend]);
  // Re-renders with each chunk of the answer, so that `settle` keeps its end in view.
  useStreamingTexts(answering);
  useLayoutEffect(settle);
  return (
    <Paper component="section" aria-label="Questions" id="questions" sx={{ p: { xs: 1.5, sm: 2 }, mb: 2 }}>
      <Typography variant="h2" sx={{ mb: 1 }}>
        Questions
      </Typography>
      {turns.length === 0 && pending === null ? null : (
        <Box component="ol" sx={list}>
          {turns.map((turn) => (
            <Turn key={turn.question.id} turn={turn} report={reports.get(turn.question.id)} alert={alert} />
          ))}
          {pending === null ? null : (
            <Box component="li" sx={{ opacity: 0.75 }}>
              <Question author="You" time={pending.askedAt} content={pending.content} />
            </Box>
          )}
        </Box>
      )}
      <Box role="status" sx={visuallyHidden}>
        {announcement(turns, answering)}
      </Box>
      <ChatComposer
        chat={{ ...chat, send }}
        answering={answering}
        disabledReason={disabledReason}
        input={input}
      />
    </Paper>
  );
}

/** Returns an announcement for screen readers: the start and the end of an answer, but not its words. */
function announcement(turns: readonly ChatTurn[], answering: boolean): string {
  if (answering) return 'Answering…';
  return turns.at(-1)?.stage?.status === 'COMPLETED' ? 'Answer complete.' : '';
}

const list = {
  m: 0,
  mb: 2,
  p: 0,
  listStyle: 'none',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 2.5,
} as const;
