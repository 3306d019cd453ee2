import type { Logger } from 'pino';
import { uuidv7 } from '../../common/uuidv7.ts';
import type { TimelineEventType } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Publisher } from '../live/publisher.ts';
import { type Fence, type RowChange, writeRows } from './event-statement.ts';
import { createGrowingText, type GrowingText } from './growing-text.ts';
import {
  addTimelineEvent,
  type ExecutionIds,
  endTimelineEvent,
  saveTimelineText,
  type TimelineEventEnd,
} from './timeline.ts';

export interface OpenTimelineEvent {
  readonly id: string;
  /** The sequence number in the timeline; undefined until the event is stored. */
  readonly sequenceNumber: number | undefined;
  append(delta: string): Promise<void>;
  /** Buffers the event's end, with `content` or else the streamed text. Returns that text. */
  close(end: Omit<TimelineEventEnd, 'content'> & { content?: string }): Promise<string>;
}

/** Writes the rows of an agent, or of the session itself, in order. */
export interface Journal {
  /** Buffers changes. A `write` must follow before the run calls a model or a tool. */
  note(...changes: RowChange[]): void;
  /** Stores the buffered changes and the given ones in one write. @throws LeaseLostError */
  write(...changes: RowChange[]): Promise<void>;
  /** Waits for running writes, then removes and returns the buffered changes. The caller must write them. */
  drain(): Promise<RowChange[]>;
  /** Buffers a new streaming event, which is stored before its first text is published. */
  openTimelineEvent(type: TimelineEventType, metadata?: Record<string, unknown>): OpenTimelineEvent;
}

export interface JournalDeps {
  db: Queryable;
  publisher: Pick<Publisher, 'publish'>;
  fence: Fence;
  logger: Logger;
}

export function openJournal({ db, publisher, fence, logger }: JournalDeps, ids: ExecutionIds): Journal {
  let noted: RowChange[] = [];
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null; // the write that has not begun; until it begins, all calls of `write` share it
  const sequenceNumbers = new Map<string, number>();

  async function begin(): Promise<void> {
    next = null;
    const changes = noted;
    noted = [];
    for (const [id, sequenceNumber] of await writeRows(db, fence, changes))
      sequenceNumbers.set(id, sequenceNumber);
  }

  const note = (...changes: RowChange[]) => void noted.push(...changes);
  const write = (...changes: RowChange[]): Promise<void> => {
    note(...changes);
    next ??= last.then(begin, begin);
    last = next;
    return next;
  };

  function openTimelineEvent(
    type: TimelineEventType,
    metadata: Record<string, unknown> | null = null,
  ): OpenTimelineEvent {
    const id = uuidv7();
    const added = addTimelineEvent(ids, { type, status: 'STREAMING', content: '', metadata }, id);
    note(added);
    // Only logs the error, because the end of the event has the whole text.
    const onError = (error: unknown) => logger.warn({ err: error }, 'growing text not saved');
    const save = (content: string) => write(saveTimelineText(id, content));
    let text: GrowingText | null = null;
    const store = async () => {
      if (noted.includes(added)) await write();
    };
    return {
      id,
      get sequenceNumber() {
        return sequenceNumbers.get(id);
      },
      async append(delta) {
        if (text === null) {
          await store();
          text = createGrowingText({
            publisher,
            sessionId: fence.sessionId,
            timelineEventId: id,
            save,
            onError,
          });
        }
        await text.append(delta);
      },
      async close({ content, ...end }) {
        const streamed = text?.finish() ?? '';
        await store(); // one write cannot both add and end an event
        note(endTimelineEvent(id, { ...end, content: content ?? streamed }));
        return content ?? streamed;
      },
    };
  }

  async function drain(): Promise<RowChange[]> {
    await last.catch(() => {}); // the caller of that write handles the error
    return noted.splice(0);
  }

  return { note, write, drain, openTimelineEvent };
}
