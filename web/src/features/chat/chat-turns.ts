import type {
  ChatQuestionFragment,
  TimelineItemFragment,
  TimelineStageFragment,
} from '../../graphql/gen/documents.ts';
import { isFinished } from '../../lib/status.ts';
import { groundingOf } from '../timeline/grounding.ts';
import type { StageGroup } from '../timeline/timeline-groups.ts';
import type { TimelineState } from '../timeline/timeline-reducer.ts';

/** A question with its answer. */
export interface ChatTurn {
  readonly question: ChatQuestionFragment;
  /** The stage that answers; `null` until the server has created it. */
  readonly stage: TimelineStageFragment | null;
  /** The items before the answer, in order. */
  readonly steps: readonly TimelineItemFragment[];
  /** Undefined until an answer exists; its text may still be streaming. */
  readonly answer: TimelineItemFragment | undefined;
  /** The item with the sources of the answer. */
  readonly grounding: TimelineItemFragment | null;
  readonly running: boolean;
}

/** Returns the turns of a session's chat, oldest question first. */
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
  // A streaming response counts as the answer until the model calls another tool.
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

/** Models often write their answer as a response first, and then repeat it as the final analysis. */
function isSame(item: TimelineItemFragment, answer: TimelineItemFragment | undefined): boolean {
  return item.type === 'LLM_RESPONSE' && item.content !== '' && item.content === answer?.content;
}
