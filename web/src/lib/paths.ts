/** Page addresses. They contain UUIDs instead of global ids, because users can compare UUIDs. */
export const sessionPath = (id: string): string => `/sessions/${encodeURIComponent(uuidOf(id))}`;
export const tracePath = (id: string): string => `${sessionPath(id)}/trace`;
export const groupPath = (id: string): string => `/alerts/${encodeURIComponent(uuidOf(id))}`;

export const memoriesPath = (uuids: readonly string[]): string =>
  `/review/memory?ids=${uuids.map(encodeURIComponent).join(',')}`;

/** Returns the UUID in a global id. Returns any other text unchanged. */
export function uuidOf(id: string): string {
  try {
    return /^[A-Za-z]+:([0-9a-f-]{36})$/.exec(atob(id))?.[1] ?? id;
  } catch {
    return id;
  }
}

export const comparePath = (ids: readonly string[]): string =>
  `/compare?ids=${ids.map((id) => encodeURIComponent(uuidOf(id))).join(',')}`;
