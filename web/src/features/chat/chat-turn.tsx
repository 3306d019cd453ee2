import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import { memo, useState } from 'react';
import { AiMark } from '../../components/ai-mark.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Clock, Duration } from '../../components/time.tsx';
import type { AnswerClaimsFragment, TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { statusLook } from '../../theme.ts';
import { AnswerClaims } from '../report/answer-claims.tsx';
import { useCitations } from '../timeline/grounding.ts';
import { TimelineItem } from '../timeline/timeline-item.tsx';
import { useItemText } from '../timeline/timeline-store.ts';
import type { ChatTurn } from './chat-turns.ts';

export function Question({ author, time, content }: { author: string; time: string; content: string }) {
  return (
    <Box sx={question}>
      <Box sx={{ mb: 0.25, fontSize: '0.75rem', color: 'text.secondary' }}>
        {author} · <Clock time={time} />
      </Box>
      <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{content}</Box>
    </Box>
  );
}

interface TurnProps {
  readonly turn: ChatTurn;
  /** The verified claims of the answer; undefined until available. */
  readonly report: AnswerClaimsFragment | undefined;
  readonly alert: string;
}

/** A question with its steps and its answer. */
export const Turn = memo(function Turn({ turn, report, alert }: TurnProps) {
  const { question: asked, stage, answer, grounding, running } = turn;
  const failed = stage !== null && !running && stage.status !== 'COMPLETED';
  return (
    <Box component="li" id={`chat-${stage?.index ?? 'new'}`}>
      <Question author={asked.author} time={asked.createdAt} content={asked.content} />
      <Steps turn={turn} />
      {answer === undefined ? null : <Answer item={answer} grounding={grounding} />}
      {report === undefined || stage === null ? null : (
        <AnswerClaims report={report} answer={stage.index} alert={alert} />
      )}
      {running ? (
        <Box sx={{ mt: 1, height: 22 }}>
          <LinearProgress aria-label="Answering" sx={{ maxWidth: 160, borderRadius: 1 }} />
        </Box>
      ) : null}
      {failed ? (
        <Box sx={{ mt: 0.5, fontSize: '0.8125rem', color: `status.${statusLook[stage.status].tone}` }}>
          {statusLook[stage.status].label}
          {stage.errorMessage === null || stage.status === 'CANCELLED' ? '' : `: ${stage.errorMessage}`}
        </Box>
      ) : null}
    </Box>
  );
});

/** Shows the steps that led to the answer; expanded at first only if the viewer sees them live. */
function Steps({ turn }: { turn: ChatTurn }) {
  const { steps, stage, running } = turn;
  const [watched] = useState(running);
  if (steps.length === 0) return null;
  return (
    <Box sx={{ my: 0.5, fontSize: '0.8125rem' }}>
      <Disclosure
        stateKey={`steps:${turn.question.id}`}
        defaultOpen={watched}
        summary={
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {stepsText(steps)}
            {stage === null ? null : (
              <>
                {' · '}
                <Duration start={stage.startedAt} end={stage.completedAt} />
              </>
            )}
          </Box>
        }
      >
        <Box sx={{ borderLeft: '2px solid', borderColor: 'divider' }}>
          {steps.map((item) => (
            <Box key={item.id} id={`event-${item.sequenceNumber}`}>
              <TimelineItem item={item} repeated={false} />
            </Box>
          ))}
        </Box>
      </Disclosure>
    </Box>
  );
}

function Answer({ item, grounding }: { item: TimelineItemFragment; grounding: ChatTurn['grounding'] }) {
  const text = useItemText(item);
  const growing = item.status === 'STREAMING';
  const citations = useCitations(growing ? null : text, grounding?.metadata);
  return (
    <Box
      id={`event-${item.sequenceNumber}`}
      sx={{ position: 'relative', pr: { xs: 0, sm: 4 }, fontSize: '0.9rem' }}
    >
      <AiMark />
      <Markdown text={text} growing={growing} citations={citations} />
      {growing || text === '' ? null : (
        <Box sx={{ position: 'absolute', top: -4, right: -4 }}>
          <CopyButton label="Copy answer" text={() => text} />
        </Box>
      )}
    </Box>
  );
}

/** Describes the steps as text, such as `3 tool calls, 2 thoughts`. */
function stepsText(steps: readonly TimelineItemFragment[]): string {
  const count = (type: TimelineItemFragment['type']) => steps.filter((step) => step.type === type).length;
  const plural = (n: number, word: string) => (n === 0 ? [] : [`${n} ${word}${n === 1 ? '' : 's'}`]);
  const parts = [...plural(count('LLM_TOOL_CALL'), 'tool call'), ...plural(count('LLM_THINKING'), 'thought')];
  return parts.length === 0 ? `${steps.length} step${steps.length === 1 ? '' : 's'}` : parts.join(', ');
}

const question = {
  px: 1.5,
  py: 1,
  mb: 1,
  fontSize: '0.875rem',
  bgcolor: 'well',
  borderRadius: 1,
  borderLeft: '3px solid',
  borderColor: 'primary.main',
} as const;
