import type { PageRequest, Wanted } from '../../access/directory.ts';
import { ScimError } from './errors.ts';

const MAX_PAGE = 200;
const FILTER = /^\s*([\w.:]+)\s+eq\s+(?:"((?:[^"\\]|\\.)*)"|(true|false))\s*$/i;

/** Attributes that a filter of each kind of resource may use, in lower case. */
const ATTRIBUTES = {
  Users: { id: 'id', username: 'name', externalid: 'externalId', 'emails.value': 'email', emails: 'email' },
  Groups: { id: 'id', displayname: 'name', externalid: 'externalId' },
} as const;

/** Returns the condition of a list: `attribute eq "value"`; `null` without a filter. @throws ScimError */
export function readFilter(kind: keyof typeof ATTRIBUTES, filter: string | null): Wanted | null {
  if (filter === null) return null;
  const [, attribute = '', text, state] = FILTER.exec(filter) ?? [];
  const asked = attribute.toLowerCase();
  if (kind === 'Users' && asked === 'active' && state !== undefined)
    return { isActive: state.toLowerCase() === 'true' };
  const known: Readonly<Record<string, 'id' | 'name' | 'externalId' | 'email'>> = ATTRIBUTES[kind];
  const by = Object.hasOwn(known, asked) ? known[asked] : undefined;
  if (by === undefined || text === undefined)
    throw new ScimError(
      400,
      `Filter by one attribute, such as ${kind === 'Users' ? 'userName' : 'displayName'} eq "…".`,
      'invalidFilter',
    );
  return { by, value: text.replace(/\\(.)/g, '$1') };
}

/** Returns the page that `startIndex` (from 1) and `count` ask for. */
export function readPage(params: URLSearchParams): PageRequest {
  const start = Math.trunc(Number(params.get('startIndex') ?? 1)) || 1;
  const count = Math.trunc(Number(params.get('count') ?? MAX_PAGE));
  return {
    offset: Math.min(Math.max(start - 1, 0), 1_000_000),
    limit: Number.isNaN(count) ? MAX_PAGE : Math.min(Math.max(count, 0), MAX_PAGE),
  };
}
