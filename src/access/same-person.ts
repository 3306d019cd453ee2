import { isTokenName, TOKEN_NAME_PREFIX } from '../common/token-name.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';

/**
 * True if two names may belong to one person: equal but for case, or one is the local part of the other's e-mail address.
 * The page may know a person as `ana` whom Slack knows as `ana@example.com`.
 */
export function maybeSamePerson(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a === b || isLocalPart(a, b) || isLocalPart(b, a);
}

function isLocalPart(name: string, address: string): boolean {
  return !name.includes('@') && name !== '' && address.startsWith(`${name}@`);
}

/**
 * Reads who owns the personal tokens among the names of actors. Returns a function that is true if two of the names may
 * belong to one person. A service token is a person of its own.
 */
export async function readSamePerson(
  db: Queryable,
  actors: readonly string[],
): Promise<(one: string, other: string) => boolean> {
  const tokens = actors.filter(isTokenName).map((name) => name.slice(TOKEN_NAME_PREFIX.length));
  const { rows } =
    tokens.length === 0 ? { rows: [] } : await db.query<TokenOwners>(prepared(OWNERS), [tokens]);
  const namesOf = (actor: string) => [
    actor,
    ...rows.flatMap(({ token, owners }) => (`${TOKEN_NAME_PREFIX}${token}` === actor ? owners : [])),
  ];
  return (one, other) =>
    namesOf(one).some((name) => namesOf(other).some((another) => maybeSamePerson(name, another)));
}

interface TokenOwners {
  token: string;
  owners: string[];
}

const OWNERS = `select name as token, owner || owner_names as owners from api_tokens
  where name = any($1) and owner is not null`;
