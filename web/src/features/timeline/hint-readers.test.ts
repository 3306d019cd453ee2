import { expect, it } from 'vitest';
import type { TimelineExecutionFragment, TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { hintReaders, hintText } from './hint-readers.ts';

const executions = new Map(
  ['Disk', 'Log'].map((agentName) => [agentName, { id: agentName, agentName } as TimelineExecutionFragment]),
);

function read(sequenceNumber: number, executionId: string, hints: unknown) {
  return { id: `i${sequenceNumber}`, sequenceNumber, type: 'HINT_READ', executionId, metadata: { hints } };
}

function stateOf(items: readonly object[]) {
  const known = items as readonly TimelineItemFragment[];
  return { items: new Map(known.map((item) => [item.id, item])), executions };
}

it('names the agents that have read a hint, in the order of reading, each once', () => {
  const state = stateOf([read(9, 'Log', [3, 4]), read(7, 'Disk', [3]), read(10, 'Disk', [3])]);
  expect(hintReaders(state, { sequenceNumber: 3 })).toEqual(['Disk', 'Log']);
  expect(hintReaders(state, { sequenceNumber: 4 })).toEqual(['Log']);
  expect(hintReaders(state, { sequenceNumber: 5 })).toEqual([]);
});

it('names an agent that the page does not know yet, and ignores an entry without a list', () => {
  const state = stateOf([read(9, 'later', [3]), read(10, 'Log', 3)]);
  expect(hintReaders(state, { sequenceNumber: 3 })).toEqual(['an agent']);
});

it('reads the author and the agent of a hint', () => {
  const hint = (metadata: unknown) => hintText({ metadata } as TimelineItemFragment);
  expect(hint({ author: 'ana', agent: null })).toEqual({ author: 'ana', agent: null });
  expect(hint({ author: 'ana', agent: 'Log' })).toEqual({ author: 'ana', agent: 'Log' });
  expect(hint(null)).toEqual({ author: '', agent: null });
});
