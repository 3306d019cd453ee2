import { expect, it } from 'vitest';
import type {
  TimelineEventType,
  TimelineExecutionFragment,
  TimelineItemFragment,
  TimelineStageFragment,
} from '../../graphql/gen/documents.ts';
import { groupTimeline, moveSummariesBelowCalls, orderedAgents } from './timeline-groups.ts';

type Place = Partial<Pick<TimelineItemFragment, 'stageId' | 'executionId'>>;

function item(sequenceNumber: number, type: TimelineEventType, place: Place = {}): TimelineItemFragment {
  const at = '2026-11-22T12:00:00Z';
  return {
    ...{ id: `i${sequenceNumber}`, sequenceNumber, type, status: 'COMPLETED', content: '', metadata: null },
    ...{ createdAt: at, updatedAt: at, stageId: null, executionId: null },
    ...place,
  };
}

const first = { stageId: 's1', executionId: 'a' };
const second = { stageId: 's1', executionId: 'b' };

/** Returns the sequence numbers by stage and agent. */
function shown(items: readonly TimelineItemFragment[], agents: readonly string[]) {
  const stage = { id: 's1', index: 0 } as TimelineStageFragment;
  const executions = agents.map(
    (id, agentIndex) => ({ id, stageId: 's1', agentIndex }) as TimelineExecutionFragment,
  );
  return groupTimeline({
    stages: new Map([['s1', stage]]),
    executions: new Map(executions.map((execution) => [execution.id, execution])),
    items: new Map(items.map((one) => [one.id, one])),
  }).map(({ key, executions: groups }) => [
    key,
    groups.map((group) => [group.key, group.items.map(({ sequenceNumber }) => sequenceNumber)]),
  ]);
}

it('shows alert updates where they occurred, among the items of the only agent', () => {
  const items = [
    item(1, 'LLM_THINKING', first),
    item(2, 'ALERT_JOINED'),
    item(3, 'LLM_RESPONSE', first),
    item(4, 'ALERT_RESOLVED'),
    item(5, 'EXECUTIVE_SUMMARY'),
  ];
  expect(shown(items, ['a'])).toEqual([
    ['s1', [['a', [1, 2, 3, 4]]]],
    ['', [['', [5]]]],
  ]);
});

it('shows alert updates at stage level if several agents work in parallel', () => {
  const items = [item(1, 'LLM_THINKING', first), item(2, 'ALERT_JOINED'), item(3, 'LLM_RESPONSE', second)];
  expect(shown(items, ['a', 'b'])).toEqual([
    [
      's1',
      [
        ['a', [1]],
        ['b', [3]],
        ['', [2]],
      ],
    ],
  ]);
});

it('shows alert updates before the first item first', () => {
  const items = [item(1, 'ALERT_JOINED'), item(2, 'LLM_THINKING', first), item(3, 'ALERT_RESOLVED')];
  expect(shown(items, ['a'])).toEqual([['s1', [['a', [1, 2, 3]]]]]);
});

it('lists sub-agents after their agent, and failed top-level agents first', () => {
  const execution = (id: string, agentIndex: number, parentId: string | null, status = 'COMPLETED') =>
    ({ id, stageId: 's1', agentIndex, parentId, status }) as TimelineExecutionFragment;
  const executions = [
    execution('a', 1, null),
    execution('b', 2, null, 'FAILED'),
    execution('a1', 3, 'a'),
    execution('b1', 4, 'b'),
    execution('a2', 5, 'a', 'TIMED_OUT'),
    execution('a11', 6, 'a1'),
  ];
  const [group] = groupTimeline({
    stages: new Map([['s1', { id: 's1', index: 0 } as TimelineStageFragment]]),
    executions: new Map(executions.map((one) => [one.id, one])),
    items: new Map(),
  });
  expect(orderedAgents(group!).map(({ key, depth }) => `${depth}${key}`)).toEqual([
    '0b',
    '1b1',
    '0a',
    '1a1',
    '2a11',
    '1a2',
  ]);
});

const callItem = (id: string, type: TimelineEventType, call?: string) =>
  ({ id, type, metadata: call === undefined ? null : { tool_call_id: call } }) as TimelineItemFragment;

const idsAfterMove = (...items: TimelineItemFragment[]) => moveSummariesBelowCalls(items).map(({ id }) => id);

it('moves each summary below its call', () => {
  const calls = [callItem('one', 'LLM_TOOL_CALL', 'a'), callItem('two', 'LLM_TOOL_CALL', 'b')];
  const summaries = [
    callItem('of two', 'MCP_TOOL_SUMMARY', 'b'),
    callItem('of one', 'MCP_TOOL_SUMMARY', 'a'),
  ];
  expect(idsAfterMove(...calls, ...summaries, callItem('then', 'LLM_RESPONSE'))).toEqual([
    'one',
    'of one',
    'two',
    'of two',
    'then',
  ]);
});

it('uses the last call of a repeated id, and leaves a summary without a call in place', () => {
  expect(
    idsAfterMove(
      callItem('first', 'LLM_TOOL_CALL', 'a'),
      callItem('again', 'LLM_TOOL_CALL', 'a'),
      callItem('text', 'LLM_RESPONSE'),
      callItem('of again', 'MCP_TOOL_SUMMARY', 'a'),
      callItem('of none', 'MCP_TOOL_SUMMARY', 'z'),
    ),
  ).toEqual(['first', 'again', 'of again', 'text', 'of none']);
});
