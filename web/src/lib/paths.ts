/** Addresses of the pages of single things. Ids are the API's; addresses have the UUIDs in them, which people can compare. */
export const sessionPath = (id: string): string => `/sessions/${encodeURIComponent(uuidOf(id))}`;
export const tracePath = (id: string): string => `${sessionPath(id)}/trace`;
export const groupPath = (id: string): string => `/alerts/${encodeURIComponent(uuidOf(id))}`;

/** Of memories, by their UUIDs. */
export const memoriesPath = (uuids: readonly string[]): string =>
  `/review/memory?ids=${uuids.map(encodeURIComponent).join(',')}`;

/** The UUID in a global id; what is none stays as it is. */
export function uuidOf(id: string): string {
  try {
    return /^[A-Za-z]+:([0-9a-f-]{36})$/.exec(atob(id))?.[1] ?? id;
  } catch {
    return id;
  }
}
