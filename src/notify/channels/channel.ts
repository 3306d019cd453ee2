import type { Notice } from '../notice.ts';

/** A notification to send. Repeated attempts have the same id, so that receivers can recognize them. */
export interface Outgoing {
  id: string;
  createdAt: Date;
  notice: Notice;
}

/**
 * Sends a notification through one channel.
 * @returns a remark for the delivery log; `null` if there is none
 * @throws SendError if the receiver does not accept it
 */
export type Send = (outgoing: Outgoing, signal: AbortSignal) => Promise<string | null>;
