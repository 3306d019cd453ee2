export interface NodeId {
  type: string;
  id: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const GLOBAL_ID = /^([A-Za-z]+):([0-9A-Za-z.-]+)$/;

/** True if the text is a UUID, as all database keys are. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Returns the Relay global id: base64 of `Type:key`. */
export function encodeGlobalId(type: string, id: string): string {
  return Buffer.from(`${type}:${id}`).toString('base64');
}

/** Decodes a global id; `null` if it is invalid. */
export function decodeGlobalId(text: string): NodeId | null {
  const match = GLOBAL_ID.exec(Buffer.from(text, 'base64').toString('latin1'));
  return match ? { type: match[1]!, id: match[2]!.toLowerCase() } : null;
}

/** Returns the key from a global id or bare UUID; `null` if the id is invalid or of another type. */
export function keyOf(type: string, text: string): string | null {
  if (isUuid(text)) return text.toLowerCase();
  const ref = decodeGlobalId(text);
  return ref?.type === type && isUuid(ref.id) ? ref.id : null;
}
