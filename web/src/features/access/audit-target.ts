import { groupPath, sessionPath } from '../../lib/paths.ts';

export interface AuditTarget {
  /** GraphQL type of the target, such as Session; `null` if the id is not a global id. */
  readonly type: string | null;
  readonly key: string;
  /** URL path of the target's page; `null` if it has none. */
  readonly path: string | null;
}

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
