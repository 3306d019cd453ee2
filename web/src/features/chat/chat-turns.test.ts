import { expect, it } from 'vitest';
import type {
  ChatQuestionFragment,
  TimelineItemFragment,
  TimelineStageFragment,
} from '../../graphql/gen/documents.ts';
import type { StageGroup } from '../timeline/timeline-groups.ts';
import { chatTurns } from './chat-turns.ts';

const AT = '2026-11-22T12:00:00Z';

function item(
  sequenceNumber: number,
  type: TimelineItemFragment['type'],
  content: string,
  status: TimelineItemFragment['status'] = 'COMPLETED',
): TimelineItemFragment {
  return {
    ...{ id: `i${sequenceNumber}`, sequenceNumber, type, status, content, metadata: null },
    ...{ createdAt: AT, updatedAt: AT, stageId: 's1', executionId: 'a' },
  };
}

const question = (id: string, createdAt = AT, stageId: string | null = 's1'): ChatQuestionFragment =>
  ({ id, author: 'ana', content: id, createdAt, stage: stageId && { id: stageId } }) as ChatQuestionFragment;

/** Returns the turns of the questions, whose stage `s1` has these items. */
function turns(
  questions: readonly ChatQuestionFragment[],
  items: readonly TimelineItemFragment[] = [],
  status: TimelineStageFragment['status'] = 'ACTIVE',
) {
  const group: StageGroup = {
    key: 's1',
    stage: { id: 's1', status } as TimelineStageFragment,
    executions: [{ key: 'a', execution: null, items }],
  };
  return chatTurns(new Map(questions.map((one) => [one.id, one])), [group]);
}

it('orders the questions by time, and equally old ones by id', () => {
  const later = '2026-11-22T12:00:01Z';
  const asked = [question('c', later), question('b'), question('a')];
  expect(turns(asked).map((turn) => turn.question.id)).toEqual(['a', 'b', 'c']);
});

it('takes the last analysis as the answer, and leaves out a response that repeats it', () => {
  const items = [
    item(5, 'FINAL_ANALYSIS', 'Since Friday.'),
    item(1, 'USER_QUESTION', 'Since when?'),
    item(2, 'LLM_TOOL_CALL', ''),
    item(3, 'LLM_RESPONSE', 'I look at the log.'),
    item(4, 'LLM_RESPONSE', 'Since Friday.'),
  ];
  const [turn] = turns([question('q')], items, 'COMPLETED');
  expect(turn).toMatchObject({ answer: items[0], steps: [items[2], items[3]], running: false });
});

it('takes a response as the answer only while it is written and nothing follows', () => {
  const written = item(1, 'LLM_RESPONSE', 'Since', 'STREAMING');
  expect(turns([question('q')], [written])[0]).toMatchObject({ answer: written, steps: [], running: true });
  const stored = item(1, 'LLM_RESPONSE', 'I look at the log.');
  expect(turns([question('q')], [stored])[0]).toMatchObject({ answer: undefined, steps: [stored] });
  const followed = [written, item(2, 'LLM_TOOL_CALL', '')];
  expect(turns([question('q')], followed)[0]).toMatchObject({ answer: undefined, steps: followed });
});

it('counts a question as running until its stage is known', () => {
  const [turn] = turns([question('q', AT, null)], [], 'COMPLETED');
  expect(turn).toMatchObject({ stage: null, steps: [], running: true });
});
