import type {
  ChatQuestionFragment,
  TimelineItemFragment,
  TimelineStageFragment,
} from '../../graphql/gen/documents.ts';
import { isFinished } from '../../lib/status.ts';
import { groundingOf } from '../timeline/grounding.ts';
import type { StageGroup } from '../timeline/timeline-groups.ts';
import type { TimelineState } from '../timeline/timeline-reducer.ts';

/** A question and what became of it. */
export interface ChatTurn {
  readonly question: ChatQuestionFragment;
  /** Null until the server has told about the stage that answers it. */
  readonly stage: TimelineStageFragment | null;
  /** What was done to find the answer, in order. */
  readonly steps: readonly TimelineItemFragment[];
  /** Absent while there is none; its text may still be growing. */
  readonly answer: TimelineItemFragment | undefined;
  /** The item that tells what the answer was taken from. */
  readonly grounding: TimelineItemFragment | null;
  readonly running: boolean;
}

/** The questions of a session in the order in which they were asked. */
export function chatTurns(
  questions: TimelineState['questions'],
  groups: readonly StageGroup[],
): readonly ChatTurn[] {
  const byStage = new Map(groups.map((group) => [group.key, group]));
  return [...questions.values()]
    .sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1))
    .map((question) => turnOf(question, byStage.get(question.stage?.id ?? '')));
}

function turnOf(question: ChatQuestionFragment, group: StageGroup | undefined): ChatTurn {
  const stage = group?.stage ?? null;
  const items = (group?.executions ?? [])
    .flatMap((own) => own.items)
    .filter((item) => item.type !== 'USER_QUESTION')
    .sort((a, b) => a.sequenceNumber - b.sequenceNumber);
  // What the model writes now is the answer, until it turns out that it went on with a tool.
  const last = items.at(-1);
  const answer =
    items.findLast((item) => item.type === 'FINAL_ANALYSIS') ??
    (last?.type === 'LLM_RESPONSE' && last.status === 'STREAMING' ? last : undefined);
  return {
    question,
    stage,
    steps: items.filter((item) => item !== answer && !isSame(item, answer)),
    answer,
    grounding: answer === undefined ? null : groundingOf(items, items.indexOf(answer)),
    running: stage === null || !isFinished(stage.status),
  };
}

/** Models often write their answer as a response, and it is then concluded with, word for word. */
function isSame(item: TimelineItemFragment, answer: TimelineItemFragment | undefined): boolean {
  return item.type === 'LLM_RESPONSE' && item.content !== '' && item.content === answer?.content;
}
