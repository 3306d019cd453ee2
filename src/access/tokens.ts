import type { Logger } from 'pino';
import { type Actor, recordAudit } from '../audit.ts';
import { ConflictError, ForbiddenError, NotFoundError, ValidationError } from '../common/errors.ts';
import { uuidv7 } from '../common/uuidv7.ts';
import type { TokenScope } from '../db/enums.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import { hasEndedSql, namesOf } from './ended-access.ts';
import { rightsOfScopes } from './rights.ts';
import { EVERY_TEAM, NO_TEAMS } from './teams.ts';
import { hashOfToken, isToken, makeToken, prefixOfToken } from './token-form.ts';
import type { Viewer } from './viewer.ts';

export interface NewToken {
  name: string;
  scopes: readonly TokenScope[];
  /** A configured team or `EVERY_TEAM`; `null` = no team. */
  team: string | null;
  /** `null` if the token never expires. */
  expiresAt: Date | null;
}

/** The user to whom a token belongs. The token is suspended while the user's access has ended. */
export interface TokenOwner {
  name: string;
  /** Name and address in lower case. */
  names: readonly string[];
}

/** A token that is not revoked, expired or suspended. The scopes and the team decide what its requests may do. */
export interface ActiveToken extends NewToken {
  id: string;
}

/** A token as administrators see it, without its hash. */
export interface TokenView extends ActiveToken {
  prefix: string;
  createdBy: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
  /** User to whom the token belongs; `null` for a service token, which outlives its creator. */
  owner: string | null;
  /** When the owner's access ended; `null` if it has not. */
  suspendedAt: Date | null;
}

interface CreatedToken {
  token: TokenView;
  secret: string;
}

export interface Tokens {
  /** Returns an active token; `null` if it is unknown, revoked or expired. */
  find(token: string): Promise<ActiveToken | null>;
  /** Returns which of the tokens with these ids are no longer active. */
  ended(ids: readonly string[]): Promise<string[]>;
  /**
   * Creates a token that belongs to its creator, or a service token.
   * @throws ValidationError; ForbiddenError if `by` is a token that lacks one of the scopes
   */
  create(input: NewToken & { isService: boolean }, by: Viewer): Promise<CreatedToken>;
  /** @throws NotFoundError; ConflictError if the token is already revoked */
  revoke(id: string, by: Viewer): Promise<TokenView>;
}

const COLUMNS = `id, name, prefix, scopes, team, created_by as "createdBy", created_at as "createdAt",
  expires_at as "expiresAt", last_used_at as "lastUsedAt", revoked_at as "revokedAt",
  owner, suspended_at as "suspendedAt"`;
const IS_ACTIVE =
  'revoked_at is null and suspended_at is null and (expires_at is null or expires_at > now())';

const IS_USE_OLD = `coalesce(last_used_at < now() - interval '1 minute', true)`;

const FIND = prepared(`
  select id, name, scopes, team, expires_at as "expiresAt", ${IS_USE_OLD} as "isUseOld"
  from api_tokens where hash = $1 and ${IS_ACTIVE}`);
const STORE_USE = prepared(`update api_tokens set last_used_at = now() where id = $1 and ${IS_USE_OLD}`);
const ENDED = prepared(`
  select id from unnest($1::uuid[]) as held (id)
  where not exists (select 1 from api_tokens t where t.id = held.id and ${IS_ACTIVE})`);

export function createTokens(deps: {
  db: Queryable;
  transaction: Transaction;
  /** Configured teams; `null` if there are none. */
  teams: readonly string[] | null;
  logger: Logger;
}): Tokens {
  const { db, transaction, teams, logger } = deps;
  return {
    async find(token) {
      if (!isToken(token)) return null;
      const { rows } = await db.query<ActiveToken & { isUseOld: boolean }>(FIND, [hashOfToken(token)]);
      const held = rows[0];
      if (held === undefined) return null;
      if (held.isUseOld)
        db.query(STORE_USE, [held.id]).catch((err: unknown) => logger.warn({ err }, 'token use not stored'));
      return held;
    },
    async ended(ids) {
      const { rows } = await db.query<{ id: string }>(ENDED, [ids]);
      return rows.map(({ id }) => id);
    },
    async create(input, by) {
      requireGrantable(input.scopes, by);
      const problem = teamProblem(input, teams);
      if (problem !== null) throw new ValidationError(problem, 'team');
      return transaction(async (tx) => {
        const owner = input.isService ? null : await ownerOf(tx, by);
        return createToken(tx, { ...input, owner }, by);
      });
    },
    revoke: (id, by) => transaction((tx) => revokeToken(tx, id, by)),
  };
}

/** Returns the user to whom tokens of a creator belong: the user, or the owner of the creating token; `null` if none. */
async function ownerOf(tx: Queryable, { via, name, email, tokenId }: Viewer): Promise<TokenOwner | null> {
  if (via === 'PROXY' || via === 'OIDC') return { name, names: namesOf({ name, email }) };
  const { rows } = await tx.query<TokenOwner>(
    'select owner as name, owner_names as names from api_tokens where id = $1 and owner is not null',
    [tokenId],
  );
  return rows[0] ?? null;
}

/**
 * Refuses scopes that the creating token lacks. Without this check, a token could create another one with every right.
 */
function requireGrantable(scopes: readonly TokenScope[], { via, rights }: Viewer): void {
  const beyond = rightsOfScopes(scopes).difference(rights);
  if (via === 'TOKEN' && beyond.size > 0)
    throw new ForbiddenError(`A token cannot grant scopes that it lacks: ${[...beyond].join(', ')}.`, null);
}

const MAX_NAME_LENGTH = 100;
const MAX_ACTIVE_TOKENS = 500;

/**
 * Serializes, until the end of the transaction, changes that decide which tokens are active: two creations could both pass
 * the checks, or a user's access could end while one of their tokens is created.
 */
export const LOCK_TOKENS = `select pg_advisory_xact_lock(hashtextextended('api_tokens', 3))`;

/**
 * Creates a token and its audit entry within the caller's transaction.
 * @param input without an owner, the token is a service token
 * @throws ValidationError
 */
export async function createToken(
  tx: Queryable,
  { owner = null, ...input }: NewToken & { owner?: TokenOwner | null },
  by: Actor,
): Promise<CreatedToken> {
  validate(input);
  await tx.query(LOCK_TOKENS);
  const name = input.name.trim();
  const others = await tx.query(
    `select 1 from api_tokens where name = $1 and team is distinct from $2 and ${IS_ACTIVE}`,
    [name, input.team],
  );
  if (others.rows.length > 0)
    throw new ValidationError(
      'A token of another team has this name. Choose another name, because the name identifies the sender.',
      'name',
    );
  const counted = await tx.query<{ count: number }>(
    `select count(*)::int as count from api_tokens where ${IS_ACTIVE}`,
  );
  if (counted.rows[0]!.count >= MAX_ACTIVE_TOKENS)
    throw new ValidationError(
      `There are already ${MAX_ACTIVE_TOKENS} active tokens. Revoke unused ones first.`,
    );
  const secret = makeToken();
  const scopes = [...new Set(input.scopes)];
  const { team, expiresAt } = input;
  const prefix = prefixOfToken(secret);
  const { rows } = await tx.query<TokenView>(
    `insert into api_tokens (id, name, prefix, hash, scopes, team, created_by, expires_at, owner, owner_names, suspended_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when ${hasEndedSql('$10::text[]')} then now() end)
     returning ${COLUMNS}`,
    [
      ...[uuidv7(), name, prefix, hashOfToken(secret), scopes, team, by.name, expiresAt],
      ...[owner?.name ?? null, owner?.names ?? null],
    ],
  );
  const token = rows[0]!;
  await recordAudit(tx, by, {
    action: 'token.create',
    target: { type: 'ApiToken', id: token.id },
    detail: {
      ...{ name, prefix, scopes, team, expires_at: expiresAt?.toISOString() ?? null },
      owner: owner?.name ?? null,
    },
  });
  return { token, secret };
}

/** Returns the team of alerts that are sent with this token; `null` if the token may not send alerts. */
export async function submitterOf(
  tokens: Pick<Tokens, 'find'>,
  token: string,
): Promise<{ team: string | null } | null> {
  const held = await tokens.find(token);
  if (held === null || !rightsOfScopes(held.scopes).has('SUBMIT_ALERTS')) return null;
  return { team: held.team === EVERY_TEAM ? null : held.team };
}

function validate({ name, scopes, expiresAt }: NewToken): void {
  const trimmed = name.trim();
  if (trimmed === '') throw new ValidationError('Give the token a name that describes its purpose.', 'name');
  if (trimmed.length > MAX_NAME_LENGTH || /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/u.test(trimmed))
    throw new ValidationError(`The name must have at most ${MAX_NAME_LENGTH} printable characters.`, 'name');
  if (scopes.length === 0) throw new ValidationError('A token needs at least one scope.', 'scopes');
  if (expiresAt !== null && expiresAt.getTime() <= Date.now())
    throw new ValidationError('The expiry time is in the past. Give a later one.', 'expiresAt');
}

/** Returns what is wrong with the team of a new token, or `null`. @param known configured teams; `null` if none */
export function teamProblem(
  { team, scopes }: Pick<NewToken, 'team' | 'scopes'>,
  known: readonly string[] | null,
): string | null {
  if (team === null) return null;
  if (known === null) return NO_TEAMS;
  if (team !== EVERY_TEAM && !known.includes(team))
    return `Unknown team. Configured teams: ${known.join(', ')}.`;
  return scopes.includes('ADMIN')
    ? 'A token with the scope ADMIN sees every team; leave the team out.'
    : null;
}

/** Returns every token, the newest first. */
export async function listTokens(db: Queryable): Promise<TokenView[]> {
  return (await db.query<TokenView>(`select ${COLUMNS} from api_tokens order by id desc`)).rows;
}

/**
 * Returns the id of the token with this id or name; of several tokens of a name, that of the active one.
 * @throws NotFoundError; ConflictError if several active tokens have the name
 */
export async function findTokenId(db: Queryable, nameOrId: string): Promise<string> {
  const { rows } = await db.query<{ id: string; isActive: boolean }>(
    `select id, ${IS_ACTIVE} as "isActive" from api_tokens where id::text = lower($1) or name = $1 order by id desc`,
    [nameOrId.trim()],
  );
  const active = rows.filter(({ isActive }) => isActive).map(({ id }) => id);
  if (active.length > 1)
    throw new ConflictError(
      `Several active tokens have this name: ${active.join(', ')}. Give the id of one.`,
    );
  const id = active[0] ?? rows[0]?.id;
  if (id === undefined) throw new NotFoundError('No token has this name or id.');
  return id;
}

/**
 * Revokes a token and records it within the caller's transaction.
 * @throws NotFoundError; ConflictError if the token is already revoked
 */
export async function revokeToken(tx: Queryable, id: string, by: Actor): Promise<TokenView> {
  const { rows } = await tx.query<TokenView>(
    `update api_tokens set revoked_at = now() where id = $1 and revoked_at is null returning ${COLUMNS}`,
    [id],
  );
  const token = rows[0];
  if (token === undefined) {
    const known = await tx.query('select 1 from api_tokens where id = $1', [id]);
    if (known.rows.length === 0) throw new NotFoundError('There is no token with this id.');
    throw new ConflictError('The token is already revoked.');
  }
  await recordAudit(tx, by, {
    action: 'token.revoke',
    target: { type: 'ApiToken', id },
    detail: { name: token.name, prefix: token.prefix },
  });
  return token;
}

/** Deletes tokens that were revoked or expired more than `days` days ago. */
export async function removeEndedTokens(db: Queryable, days: number): Promise<void> {
  await db.query(
    'delete from api_tokens where least(revoked_at, expires_at) < now() - make_interval(days => $1)',
    [days],
  );
}
