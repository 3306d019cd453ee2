import { describe, expect, it } from 'vitest';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import type { SessionEvent } from './timeline-reducer.ts';
import { createTimelineStore } from './timeline-store.ts';

const at = '2026-01-01T00:00:00.000Z';

const item: TimelineItemFragment = {
  id: 'item-1',
  sequenceNumber: 1,
  type: 'LLM_RESPONSE',
  status: 'STREAMING',
  content: '',
  metadata: null,
  createdAt: at,
  updatedAt: at,
  stageId: null,
  executionId: null,
};
const created: SessionEvent = {
  __typename: 'TimelineEventCreated',
  cursor: '1',
  at,
  timelineEvent: item,
};
const chunk = (offset: number, delta: string): SessionEvent => ({
  __typename: 'StreamChunk',
  cursor: null,
  at,
  timelineEventId: item.id,
  offset,
  delta,
});

describe('timeline store', () => {
  it('notifies of streaming text without a new structure', () => {
    const store = createTimelineStore();
    store.applyEvents([created]);
    const before = store.getStructure();
    let notifications = 0;
    const unsubscribe = store.subscribe(() => {
      notifications += 1;
    });
    store.applyEvents([chunk(0, 'The disk '), chunk(9, 'is full.')]);
    expect(notifications).toBe(1);
    expect(store.getStructure()).toBe(before);
    expect(store.getState().texts.get(item.id)?.text).toBe('The disk is full.');
    unsubscribe();
    store.applyEvents([chunk(17, ' Soon.')]);
    expect(notifications).toBe(1);
  });

  it('creates a new structure for any other event, which already contains the text', () => {
    const store = createTimelineStore();
    store.applyEvents([created, chunk(0, 'The disk')]);
    const before = store.getStructure();
    const content = 'The disk is full.';
    const done = { ...item, status: 'COMPLETED', content } as const;
    store.applyEvents([{ __typename: 'TimelineEventCompleted', cursor: '2', at, timelineEvent: done }]);
    expect(store.getStructure()).not.toBe(before);
    expect(store.getStructure().items.get(item.id)?.content).toBe(content);
    expect(store.getState().texts.size).toBe(0);
    expect(store.getState().cursor).toBe('2');
  });
});
