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
const piece = (offset: number, delta: string): SessionEvent => ({
  __typename: 'StreamChunk',
  cursor: null,
  at,
  timelineEventId: item.id,
  offset,
  delta,
});

describe('the store of a timeline', () => {
  it('tells of growing words without a new structure', () => {
    const store = createTimelineStore();
    store.fold([created]);
    const before = store.structure();
    let told = 0;
    const stop = store.subscribe(() => {
      told += 1;
    });
    store.fold([piece(0, 'The disk '), piece(9, 'is full.')]);
    expect(told).toBe(1);
    expect(store.structure()).toBe(before);
    expect(store.now().texts.get(item.id)?.text).toBe('The disk is full.');
    stop();
    store.fold([piece(17, ' Soon.')]);
    expect(told).toBe(1);
  });

  it('has a new structure with anything else, and the words are in it at the same moment', () => {
    const store = createTimelineStore();
    store.fold([created, piece(0, 'The disk')]);
    const before = store.structure();
    const content = 'The disk is full.';
    const done = { ...item, status: 'COMPLETED', content } as const;
    store.fold([{ __typename: 'TimelineEventCompleted', cursor: '2', at, timelineEvent: done }]);
    expect(store.structure()).not.toBe(before);
    expect(store.structure().items.get(item.id)?.content).toBe(content);
    expect(store.now().texts.size).toBe(0);
    expect(store.now().cursor).toBe('2');
  });
});
