import { badUserInput } from './errors.ts';

const EVENT_CURSOR = /^v1:(0|[1-9]\d{0,9})$/;

/** Cursor of a session's event: opaque to clients, so that what it holds may change. */
export function encodeEventCursor(seq: number): string {
  return Buffer.from(`v1:${seq}`).toString('base64url');
}

/** @throws BAD_USER_INPUT when the text is no cursor of ours */
export function decodeEventCursor(text: string): number {
  const match = EVENT_CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (!match) throw badUserInput('The cursor given as `after` is not one that this API gave out.');
  return Number(match[1]);
}
