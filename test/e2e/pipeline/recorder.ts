import { expect } from 'vitest';
import type { ApiClient } from '../../helpers/api.ts';

/** An item of the session's event stream, with names in place of ids. */
export interface Item {
  __typename: string;
  cursor: string | null;
  session?: { status: string; currentStage: { name: string } | null };
  stage?: { name: string; type: string; status: string };
  execution?: { agentName: string; stage: { name: string }; status: string };
  timelineEvent?: {
    id: string;
    type: string;
    status: string;
    content: string;
    metadata: { tool_call_id?: string } | null;
    stage: { name: string } | null;
    execution: { agentName: string } | null;
  };
  chat?: { createdBy: string };
  message?: { content: string };
  timelineEventId?: string;
  offset?: number;
  delta?: string;
}

const DOCUMENT = `subscription ($id: ID!) { sessionEvents(sessionId: $id) { __typename cursor
  ... on SessionStatusChanged { session { status currentStage { name } } }
  ... on StageStatusChanged { stage { name type status } }
  ... on ExecutionStatusChanged { execution { agentName stage { name } status } }
  ... on TimelineEventCreated { timelineEvent { ...Event } }
  ... on TimelineEventCompleted { timelineEvent { ...Event } }
  ... on ChatCreated { chat { createdBy } }
  ... on ChatMessageAdded { message { content } }
  ... on StreamChunk { timelineEventId offset delta } } }
  fragment Event on TimelineEvent { id type status content metadata stage { name } execution { agentName } }`;

/** A client that watches a session over one WebSocket from the beginning until it is stopped. */
export interface Recorder {
  readonly items: readonly Item[];
  /** Resolves with the first item for which `holds` returns true, including past ones. */
  until(holds: (item: Item) => boolean): Promise<Item>;
  /** Stops recording. The server closes the connection when it stops. */
  stop(): void;
}

export function record(api: ApiClient, id: string): Recorder {
  const items: Item[] = [];
  const waiting = new Set<{ holds: (item: Item) => boolean; resolve: (item: Item) => void }>();
  const stream = api.subscribe<{ sessionEvents: Item }>(DOCUMENT, { id });
  let stopped = false;
  const reading = (async () => {
    for await (const { sessionEvents: item } of stream) {
      if (stopped) return;
      items.push(item);
      for (const waiter of waiting) {
        if (!waiter.holds(item)) continue;
        waiting.delete(waiter);
        waiter.resolve(item);
      }
    }
  })();
  return {
    items,
    async until(holds) {
      const past = items.find(holds);
      if (past) return past;
      const found = new Promise<Item>((resolve) => waiting.add({ holds, resolve }));
      return Promise.race([
        found,
        reading.then(() => Promise.reject(new Error('the subscription ended first'))),
      ]);
    },
    stop() {
      stopped = true;
      reading.catch(() => {}); // the server closes the connection
    },
  };
}

/**
 * Asserts that streamed pieces cover each text without gap or overlap and begin with the final text. Pieces
 * may be longer if thought and answer arrived as one text and were separated at the end.
 */
export function expectTiled(items: readonly Item[]): void {
  const texts = new Map<string, string>();
  let pieces = 0;
  for (const { __typename, timelineEvent, timelineEventId = '', offset, delta = '' } of items) {
    if (__typename === 'TimelineEventCreated') texts.set(timelineEvent!.id, timelineEvent!.content);
    if (__typename === 'StreamChunk') {
      pieces += 1;
      expect(offset).toBe(texts.get(timelineEventId)?.length);
      texts.set(timelineEventId, texts.get(timelineEventId) + delta);
    }
    if (__typename !== 'TimelineEventCompleted' || timelineEvent!.type === 'LLM_TOOL_CALL') continue;
    const { content } = timelineEvent!;
    expect(texts.get(timelineEvent!.id)?.slice(0, content.length)).toBe(content);
  }
  expect(pieces).toBeGreaterThan(0);
}

/** Asserts that stored events arrive once, in order and without gaps. */
export function expectGapless(items: readonly Item[]): void {
  const numbers = items
    .filter(({ __typename }) => __typename !== 'StreamChunk' && __typename !== 'CaughtUp')
    .map(({ cursor }) =>
      Number(
        Buffer.from(cursor ?? '', 'base64url')
          .toString()
          .split(':')[1],
      ),
    );
  expect(numbers).toEqual(numbers.map((_, n) => n + 1));
}
