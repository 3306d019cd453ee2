import { badUserInput } from './errors.ts';

const EVENT_CURSOR = /^v1:(0|[1-9]\d{0,9})$/;

/** Encodes the cursor of a session event. Cursors are opaque, so that the format may change. */
export function encodeEventCursor(seq: number): string {
  return Buffer.from(`v1:${seq}`).toString('base64url');
}

/** @throws BAD_USER_INPUT if the text is not an event cursor */
export function decodeEventCursor(text: string): number {
  const match = EVENT_CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (!match) throw badUserInput('The cursor given as `after` is not one that this API gave out.');
  return Number(match[1]);
}
