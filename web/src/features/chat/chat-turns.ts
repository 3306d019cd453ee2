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
  /** Timeline items of the stage other than the answer, in order. */
  readonly steps: readonly TimelineItemFragment[];
  /** Undefined until the model writes an answer; its text may still be streaming. */
  readonly answer: TimelineItemFragment | undefined;
  /** Timeline item with the web sources of the answer; `null` if there is none. */
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
  // A response that still streams counts as the answer, until a later item shows otherwise.
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

/** True if an item repeats the answer. Models often write the final analysis as a response first. */
function isSame(item: TimelineItemFragment, answer: TimelineItemFragment | undefined): boolean {
  return item.type === 'LLM_RESPONSE' && item.content !== '' && item.content === answer?.content;
}
