/** What a global id names. */
export interface NodeId {
  type: string;
  id: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const GLOBAL_ID = /^([A-Za-z]+):([0-9A-Za-z.-]+)$/;

/** True for the text form of a UUID, which is what the database's keys are. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Relay global id: base64 of `Type:key`. */
export function encodeGlobalId(type: string, id: string): string {
  return Buffer.from(`${type}:${id}`).toString('base64');
}

/** Reads a global id; null when it is none. */
export function decodeGlobalId(text: string): NodeId | null {
  const match = GLOBAL_ID.exec(Buffer.from(text, 'base64').toString('latin1'));
  return match ? { type: match[1]!, id: match[2]!.toLowerCase() } : null;
}

/** The key of an object of one type, from its global id or its bare UUID; null when the id names no such object. */
export function keyOf(type: string, text: string): string | null {
  if (isUuid(text)) return text.toLowerCase();
  const ref = decodeGlobalId(text);
  return ref?.type === type && isUuid(ref.id) ? ref.id : null;
}
