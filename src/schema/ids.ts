import { badUserInput } from './errors.ts';

export interface NodeId {
  type: string;
  id: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const GLOBAL_ID = /^([A-Za-z]+):([0-9A-Za-z.-]+)$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Returns the Relay global id: base64 of `Type:key`. */
export function encodeGlobalId(type: string, id: string): string {
  return Buffer.from(`${type}:${id}`).toString('base64');
}

export function decodeGlobalId(text: string): NodeId | null {
  const match = GLOBAL_ID.exec(Buffer.from(text, 'base64').toString('latin1'));
  return match ? { type: match[1]!, id: match[2]!.toLowerCase() } : null;
}

/** Returns the UUID of a global id that the server encoded. */
export const uuidOf = (globalId: string): string => decodeGlobalId(globalId)?.id ?? globalId;

/** Returns the key from a global id or bare UUID; `null` if the id is invalid or of another type. */
export function keyOf(type: string, text: string): string | null {
  if (isUuid(text)) return text.toLowerCase();
  const ref = decodeGlobalId(text);
  return ref?.type === type && isUuid(ref.id) ? ref.id : null;
}

const EVENT_CURSOR = /^v1:(0|[1-9]\d{0,9})$/;

/** Encodes the cursor of a session event. Clients must not interpret it, so that the format may change. */
export function encodeEventCursor(seq: number): string {
  return Buffer.from(`v1:${seq}`).toString('base64url');
}

/** @throws BAD_USER_INPUT if the text is not an event cursor */
export function decodeEventCursor(text: string): number {
  const match = EVENT_CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (!match) throw badUserInput('The cursor given as `after` is not one that this API returned.');
  return Number(match[1]);
}
