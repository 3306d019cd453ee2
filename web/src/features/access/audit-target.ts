import { groupPath, sessionPath } from '../../lib/paths.ts';

/** What was changed. */
export interface AuditTarget {
  /** Type of the API, such as Session; null for an id that is none of its own. */
  readonly type: string | null;
  readonly key: string;
  /** Its page; null when it has none of its own. */
  readonly path: string | null;
}

/** Reads a global id. */
export function targetOf(id: string): AuditTarget {
  const [, type, key] = /^(\w+):(.+)$/.exec(decode(id)) ?? [];
  if (type === undefined || key === undefined) return { type: null, key: id, path: null };
  const path = type === 'Session' ? sessionPath(key) : type === 'AlertGroup' ? groupPath(key) : null;
  return { type, key, path };
}

function decode(id: string): string {
  try {
    return atob(id);
  } catch {
    return '';
  }
}
