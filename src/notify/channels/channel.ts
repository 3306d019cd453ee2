import type { Notice } from '../notice.ts';

/** A notification to send. Repeated attempts have the same id, so that receivers can recognize them. */
export interface Outgoing {
  id: string;
  createdAt: Date;
  notice: Notice;
  /** The object that a write-back notes on; missing for other channels. */
  target?: NoteTarget;
}

/** Where a note belongs at the sender of an alert. */
export interface NoteTarget {
  /** The sender's id of the object, such as an incident; `null` if the alert came without one. */
  objectId: string | null;
  /** Start of the alert. */
  since: Date;
  /** Number of further objects of the investigation that get no note. */
  omitted: number;
  /** True if an earlier attempt may have written the note. */
  isRepeated: boolean;
}

/**
 * Sends a notification through one channel.
 * @returns a remark for the delivery log; `null` if there is none
 * @throws SendError if the receiver does not accept it
 */
export type Send = (outgoing: Outgoing, signal: AbortSignal) => Promise<string | null>;
