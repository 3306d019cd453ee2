import { describe, expect, it } from 'vitest';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { groupTimeline } from './timeline-groups.ts';
import { initialTimelineState, itemText, reduceEvents, type SessionEvent } from './timeline-reducer.ts';

const at = '2026-11-21T03:00:00.000Z';
const meta = (cursor: string | null) => ({ cursor, at });

function item(sequenceNumber: number, more: Partial<TimelineItemFragment> = {}): TimelineItemFragment {
  return {
    id: `item-${sequenceNumber}`,
    sequenceNumber,
    type: 'LLM_RESPONSE',
    status: 'STREAMING',
    content: '',
    metadata: null,
    createdAt: at,
    updatedAt: at,
    stageId: 'stage-1',
    executionId: 'exec-1',
    ...more,
  };
}

const created = (cursor: string, timelineEvent: TimelineItemFragment): SessionEvent => ({
  __typename: 'TimelineEventCreated',
  ...meta(cursor),
  timelineEvent,
});
const completed = (cursor: string, timelineEvent: TimelineItemFragment): SessionEvent => ({
  __typename: 'TimelineEventCompleted',
  ...meta(cursor),
  timelineEvent,
});
const chunk = (timelineEventId: string, offset: number, delta: string): SessionEvent => ({
  __typename: 'StreamChunk',
  ...meta(null),
  timelineEventId,
  offset,
  delta,
});
const status = (cursor: string, word: 'IN_PROGRESS' | 'COMPLETED'): SessionEvent => ({
  __typename: 'SessionStatusChanged',
  ...meta(cursor),
  session: {
    id: 'session',
    status: word,
    queuePosition: null,
    waitingFor: null,
    errorMessage: null,
    startedAt: at,
    completedAt: null,
  },
});
const stage = (cursor: string, index: number): SessionEvent => ({
  __typename: 'StageStatusChanged',
  ...meta(cursor),
  stage: {
    id: `stage-${index}`,
    name: `Stage ${index}`,
    index,
    type: 'INVESTIGATION',
    status: 'ACTIVE',
    parallelType: null,
    expectedAgentCount: 1,
    errorMessage: null,
    startedAt: at,
    completedAt: null,
  },
});
const execution = (cursor: string, id: string, agentIndex: number): SessionEvent => ({
  __typename: 'ExecutionStatusChanged',
  ...meta(cursor),
  execution: {
    id,
    parentId: null,
    task: null,
    agentName: id,
    agentIndex,
    iterationStrategy: 'LANGCHAIN',
    llmProvider: null,
    originalLlmProvider: null,
    modelName: null,
    status: 'ACTIVE',
    errorMessage: null,
    startedAt: at,
    completedAt: null,
    stageId: 'stage-1',
  },
});
const caughtUp: SessionEvent = { __typename: 'CaughtUp', ...meta('c9') };

/** The events of an investigation on a connection that is never lost. */
const whole: readonly SessionEvent[] = [
  status('c1', 'IN_PROGRESS'),
  stage('c2', 1),
  execution('c3', 'exec-1', 1),
  created('c4', item(1)),
  chunk('item-1', 0, 'The disk '),
  chunk('item-1', 9, 'is full.'),
  completed('c5', item(1, { status: 'COMPLETED', content: 'The disk is full.' })),
  created('c6', item(2)),
  chunk('item-2', 0, 'Then '),
  completed('c7', item(2, { status: 'COMPLETED', content: 'Then we clean up.' })),
  status('c8', 'COMPLETED'),
];

describe('foldEvents', () => {
  it('keeps the newest status, stage and execution', () => {
    const state = reduceEvents(initialTimelineState, whole);
    expect(state.session?.status).toBe('COMPLETED');
    expect([...state.stages.keys()]).toEqual(['stage-1']);
    expect([...state.executions.keys()]).toEqual(['exec-1']);
  });

  it('keeps the newest cursor; chunks have none', () => {
    const state = reduceEvents(initialTimelineState, [created('c4', item(1)), chunk('item-1', 0, 'x')]);
    expect(state.cursor).toBe('c4');
  });

  it('returns the streamed text while an item grows and its content afterwards', () => {
    const growing = reduceEvents(initialTimelineState, whole.slice(0, 6));
    expect(itemText(growing, growing.items.get('item-1')!)).toBe('The disk is full.');
    const ended = reduceEvents(growing, whole.slice(6));
    expect(ended.texts.size).toBe(0);
    expect(itemText(ended, ended.items.get('item-2')!)).toBe('Then we clean up.');
  });

  it('drops the streamed text of an item that is first reported with its end', () => {
    const ended = item(1, { status: 'COMPLETED', content: 'Short.' });
    const state = reduceEvents(initialTimelineState, [
      chunk('item-1', 0, 'A much longer draft'),
      created('c1', ended),
    ]);
    expect(itemText(state, ended)).toBe('Short.');
  });

  it('appends chunks to the text an item was created with', () => {
    const state = reduceEvents(initialTimelineState, [
      created('c1', item(1, { content: 'So far' })),
      chunk('item-1', 6, ' so good'),
    ]);
    expect(itemText(state, state.items.get('item-1')!)).toBe('So far so good');
  });

  it('keeps chunks that arrive before their item', () => {
    const state = reduceEvents(initialTimelineState, [chunk('item-1', 0, 'early'), created('c1', item(1))]);
    expect(itemText(state, state.items.get('item-1')!)).toBe('early');
  });

  it('ignores chunks and creations after the completion', () => {
    const done = reduceEvents(initialTimelineState, whole);
    const after = reduceEvents(done, [created('c6', item(2)), chunk('item-2', 0, 'Other words altogether.')]);
    expect(after.items.get('item-2')).toEqual(done.items.get('item-2'));
    expect(after.texts.size).toBe(0);
  });

  it('is idempotent: repeating each event, or all of them, gives the same state', () => {
    const once = reduceEvents(initialTimelineState, whole);
    expect(
      reduceEvents(
        initialTimelineState,
        whole.flatMap((e) => [e, e]),
      ),
    ).toEqual(once);
    expect(reduceEvents(once, whole)).toEqual(once);
  });

  it('gives the same state for every batch size', () => {
    const once = reduceEvents(initialTimelineState, whole);
    for (let size = 1; size <= whole.length; size += 1) {
      let state = initialTimelineState;
      for (let i = 0; i < whole.length; i += size) state = reduceEvents(state, whole.slice(i, i + size));
      expect(state).toEqual(once);
    }
  });

  it('gives the same state when the connection is lost after any event', () => {
    const once = reduceEvents(initialTimelineState, [...whole, caughtUp]);
    const persisted = whole.filter((e) => e.cursor !== null);
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const before = reduceEvents(initialTimelineState, whole.slice(0, cut));
      const seen = persisted.findIndex((e) => e.cursor === before.cursor);
      const replay = [...persisted.slice(seen + 1), caughtUp];
      expect({ ...reduceEvents(before, replay), cursor: 'c9' }).toEqual(once);
    }
  });

  it('does not mutate the previous state', () => {
    const before = reduceEvents(initialTimelineState, whole.slice(0, 5));
    const copy = structuredClone({ items: before.items, texts: before.texts });
    reduceEvents(before, whole.slice(5));
    expect({ items: before.items, texts: before.texts }).toEqual(copy);
  });

  it('sets caughtUp at the end of the replay', () => {
    expect(reduceEvents(initialTimelineState, whole).caughtUp).toBe(false);
    expect(reduceEvents(initialTimelineState, [caughtUp]).caughtUp).toBe(true);
  });
});

describe('groupTimeline', () => {
  it('orders stages, agents and items regardless of their arrival', () => {
    const state = reduceEvents(initialTimelineState, [
      stage('c1', 2),
      stage('c2', 1),
      execution('c3', 'exec-2', 2),
      execution('c4', 'exec-1', 1),
      created('c5', item(3, { executionId: 'exec-2' })),
      created('c6', item(2)),
      created('c7', item(1)),
      created('c8', item(4, { stageId: null, executionId: null, type: 'EXECUTIVE_SUMMARY' })),
    ]);
    const shape = groupTimeline(state).map((g) => [
      g.stage?.index ?? null,
      g.executions.map((e) => [e.key, e.items.map((i) => i.sequenceNumber)]),
    ]);
    expect(shape).toEqual([
      [
        1,
        [
          ['exec-1', [1, 2]],
          ['exec-2', [3]],
        ],
      ],
      [2, []],
      [null, [['', [4]]]],
    ]);
  });

  it('creates a group for a stage that only an item mentions', () => {
    const state = reduceEvents(initialTimelineState, [created('c1', item(1))]);
    expect(groupTimeline(state)).toHaveLength(1);
  });
});
