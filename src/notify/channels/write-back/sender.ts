import type { Notice } from '../../notice.ts';

/** A note to write on an object of a sender. */
export interface Note {
  /** Id of the delivery, the same in every attempt. */
  id: string;
  /** Id of the object; '' for a sender whose notes need no object. */
  objectId: string;
  notice: Notice;
  /** Start of the alert. */
  since: Date;
  /** End of the investigation. */
  createdAt: Date;
}

/** The API of one kind of sender, for notes on its objects. All methods throw SendError. */
export interface Sender {
  /** Name of the product, for messages. */
  readonly product: string;
  /** Kind of its objects, such as `incident`. */
  readonly object: string;
  /** Matches ids of objects. Ids come from deliveries, so they are checked before they become part of a URL. */
  readonly ids: RegExp;
  /** True if a note needs no object, because the sender shows it without. */
  readonly isObjectOptional?: boolean;
  /** Proves by a read that address and credentials are right. */
  check(signal: AbortSignal): Promise<void>;
  /** True if an earlier attempt has written the note. */
  hasNote(note: Note, signal: AbortSignal): Promise<boolean>;
  addNote(note: Note, signal: AbortSignal): Promise<void>;
  /** Does nothing if the object is acknowledged or resolved. */
  acknowledge?(note: Note, signal: AbortSignal): Promise<void>;
  /** Does nothing if the object is resolved. */
  resolve?(note: Note, signal: AbortSignal): Promise<void>;
}
