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

/** A timeline item whose text is growing. */
export interface OpenTimelineEvent {
  readonly id: string;
  /** Its place in the session's timeline; undefined = it is not stored yet. */
  readonly sequenceNumber: number | undefined;
  append(delta: string): Promise<void>;
  /** Notes the item's end, with the text that was streamed, or with `content` instead. Returns the text. */
  close(end: Omit<TimelineEventEnd, 'content'> & { content?: string }): Promise<string>;
}

/**
 * What is written of one piece of work, an agent's or the session's own, in order. What is noted is stored together with
 * what is written next: each note must be followed by a write before anybody else is turned to.
 */
export interface Journal {
  note(...changes: RowChange[]): void;
  /** Stores all that was noted, and these. @throws LeaseLostError */
  write(...changes: RowChange[]): Promise<void>;
  /** What is noted, once nothing is being stored: whoever takes it writes it, with what else happens at once. */
  take(): Promise<RowChange[]>;
  /** Notes an item that streams; its first text is told once it is stored. */
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
  let next: Promise<void> | null = null; // not begun: whoever writes before it begins takes part
  const sequenceNumbers = new Map<string, number>();

  async function begin(): Promise<void> {
    next = null;
    const step = noted;
    noted = [];
    for (const [id, sequenceNumber] of await writeRows(db, fence, step))
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
    // A text that could not be saved meanwhile is no loss: the item's end carries the whole text.
    const onError = (error: unknown) => logger.warn({ err: error }, 'growing text could not be saved');
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
        await store(); // one step cannot both add and end it
        note(endTimelineEvent(id, { ...end, content: content ?? streamed }));
        return content ?? streamed;
      },
    };
  }

  async function take(): Promise<RowChange[]> {
    await last.catch(() => {}); // told to whoever wrote it
    return noted.splice(0);
  }

  return { note, write, take, openTimelineEvent };
}
