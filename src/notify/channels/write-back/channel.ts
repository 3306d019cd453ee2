import { SendError } from '../../failure.ts';
import { type Notice, TEST_EVENT } from '../../notice.ts';
import type { NoteTarget, Outgoing, Send } from '../channel.ts';
import type { Note, Sender } from './sender.ts';

/** Verdicts, in the spelling of the configuration, after which more than a note is written. */
export interface WriteBackActions {
  acknowledge: readonly string[];
  resolve: readonly string[];
}

/**
 * Returns a channel that writes a note on the object of an alert. A repeated attempt first looks for the note of an
 * earlier one, because senders have no idempotency keys.
 */
export function writeBackChannel(sender: Sender, actions: WriteBackActions): Send {
  return async (outgoing, signal) => {
    if (outgoing.notice.event === TEST_EVENT) {
      await sender.check(signal);
      return 'Address and credentials work. A test writes no note.';
    }
    const { target } = outgoing;
    if (target === undefined) throw missingObject(sender);
    const note = noteOf(sender, outgoing, target);
    try {
      const isWritten = target.isRepeated && (await sender.hasNote(note, signal));
      if (!isWritten) await sender.addNote(note, signal);
      await act(sender, actions, note, signal);
      return remarkOf(sender, target, isWritten);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await sender.check(signal); // a wrong address answers 404 as well, and fails here
      throw objectGone(sender, note, error);
    }
  };
}

function noteOf(sender: Sender, { id, createdAt, notice }: Outgoing, { objectId, since }: NoteTarget): Note {
  if (objectId === null && !sender.isObjectOptional) throw missingObject(sender);
  if (objectId !== null && !sender.ids.test(objectId))
    throw new SendError(
      `The alert names ${JSON.stringify(objectId.slice(0, 60))}, which is no id of a ${sender.product} ${sender.object}.`,
      { code: 'NO_OBJECT', isFinal: true },
    );
  return { id, createdAt, notice, since, objectId: objectId ?? '' };
}

function missingObject({ product, object }: Sender): SendError {
  const message = `The delivery of the alert contains no id of a ${product} ${object}, so that no note can be written.`;
  return new SendError(message, { code: 'NO_OBJECT', isFinal: true });
}

/** Resolves or acknowledges, if the configuration says so for the verdict of a completed investigation. */
async function act(
  sender: Sender,
  { acknowledge, resolve }: WriteBackActions,
  note: Note,
  signal: AbortSignal,
): Promise<void> {
  const verdict = verdictOf(note.notice);
  if (verdict === null) return;
  if (resolve.includes(verdict)) await sender.resolve?.(note, signal);
  else if (acknowledge.includes(verdict)) await sender.acknowledge?.(note, signal);
}

function verdictOf({ session, verdict }: Notice): string | null {
  return session?.status === 'COMPLETED' && verdict !== null ? verdict.toLowerCase() : null;
}

function remarkOf({ object }: Sender, { omitted }: NoteTarget, isWritten: boolean): string | null {
  const remarks = [
    ...(isWritten ? ['An earlier attempt had written the note.'] : []),
    ...(omitted > 0 ? [`Too many objects: ${omitted} more ${object}s got no note.`] : []),
  ];
  return remarks.length === 0 ? null : remarks.join(' ');
}

/** True if the sender answers that something does not exist. */
function isMissing(error: unknown): boolean {
  return error instanceof SendError && /^HTTP_(?:404|410)$|^OBJECT_GONE$/.test(error.failure.code);
}

/** Returns the failure of a note whose object does not exist, a failure of this delivery alone. */
function objectGone({ product, object }: Sender, { objectId }: Note, error: unknown): SendError {
  const message = `${product} has no ${object} ${objectId}, or does not show it to TARSy.`;
  return new SendError(message, { code: 'OBJECT_GONE', isFinal: true, isOfDelivery: true }, { cause: error });
}
