import type { Logger } from 'pino';
import { type Actor, recordAudit } from '../audit.ts';
import { ConflictError, NotFoundError } from '../common/errors.ts';
import { uuidv7 } from '../common/uuidv7.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import { type EndedAccess, hasEndedSql } from './ended-access.ts';
import { LOCK_TOKENS } from './tokens.ts';

/** A user as an identity provider describes them. */
export interface UserInput {
  userName: string;
  externalId: string | null;
  emails: readonly string[];
  /** False ends the user's access, true restores it. */
  isActive: boolean;
}

export interface GroupInput {
  displayName: string;
  externalId: string | null;
  /** Ids of users. */
  members: readonly string[];
}

interface Entry {
  id: string;
  createdAt: Date;
  changedAt: Date;
}

export interface DirectoryUser extends Omit<UserInput, 'isActive'>, Entry {
  /** User name and addresses in lower case. Names that an ended user had before still end the access. */
  names: readonly string[];
  /** `null` while the user has access. */
  endedAt: Date | null;
  /** When the provider deleted the user; `null` if it did not. */
  deletedAt: Date | null;
}

export interface DirectoryGroup extends GroupInput, Entry {}

/** A condition of a list. Names and addresses are compared without regard to case. */
export type Wanted = { by: 'id' | 'name' | 'externalId' | 'email'; value: string } | { isActive: boolean };

export interface PageRequest {
  /** Number of entries before the page. */
  offset: number;
  limit: number;
}

export interface DirectoryPage<Row> {
  total: number;
  rows: readonly Row[];
}

interface Entries<Row, Input> {
  list(wanted: Wanted | null, page: PageRequest): Promise<DirectoryPage<Row>>;
  /** @throws ConflictError if another entry has the name */
  create(input: Input, by: Actor): Promise<Row>;
  /** Replaces an entry by the result of `change`. @throws NotFoundError, ConflictError */
  change(id: string, change: (before: Row) => Input, by: Actor): Promise<Row>;
  /** @throws NotFoundError */
  remove(id: string, by: Actor): Promise<void>;
}

/** Users and groups as an identity provider reports them by SCIM. Only users that it ended lose their access. */
export interface Directory {
  users: Entries<DirectoryUser, UserInput>;
  groups: Entries<DirectoryGroup, GroupInput>;
}

const USER_COLUMNS = `id, user_name as "userName", external_id as "externalId", emails, names, ended_at as "endedAt",
  deleted_at as "deletedAt", created_at as "createdAt", changed_at as "changedAt"`;
const GROUP_COLUMNS = `id, display_name as "displayName", external_id as "externalId", members,
  created_at as "createdAt", changed_at as "changedAt"`;

interface Kind {
  table: string;
  columns: string;
  name: string;
  shown: string;
}
const USERS: Kind = {
  ...{ table: 'directory_users', columns: USER_COLUMNS, name: 'user_name' },
  shown: 'deleted_at is null',
};
const GROUPS: Kind = {
  ...{ table: 'directory_groups', columns: GROUP_COLUMNS, name: 'display_name', shown: 'true' },
};

export function createDirectory(deps: {
  db: Queryable;
  transaction: Transaction;
  ended: Pick<EndedAccess, 'refresh'>;
  logger: Logger;
}): Directory {
  const { db, transaction, ended, logger } = deps;
  /** Runs one change at a time, then makes it known to this process. */
  async function write<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    const result = await transaction(async (tx) => {
      await tx.query(LOCK_TOKENS);
      return work(tx);
    });
    await ended.refresh().catch((err: unknown) => logger.warn({ err }, 'ended access not read'));
    return result;
  }
  return {
    users: {
      list: (wanted, page) => list(db, USERS, wanted, page),
      create: (input, by) => write((tx) => createUser(tx, input, by)),
      change: (id, change, by) =>
        write(async (tx) => {
          const before = await find<DirectoryUser>(tx, USERS, id);
          return storeUser(tx, { id, before, input: change(before), isDeleted: false }, by);
        }),
      remove: (id, by) =>
        write(async (tx) => {
          const before = await find<DirectoryUser>(tx, USERS, id);
          const input = { ...before, isActive: false };
          await storeUser(tx, { id, before, input, isDeleted: true }, by);
        }),
    },
    groups: {
      list: (wanted, page) => list(db, GROUPS, wanted, page),
      create: (input, by) => write((tx) => storeGroup(tx, { id: uuidv7(), before: null, input }, by)),
      change: (id, change, by) =>
        write(async (tx) => {
          const before = await find<DirectoryGroup>(tx, GROUPS, id);
          return storeGroup(tx, { id, before, input: change(before) }, by);
        }),
      remove: (id, by) =>
        write(async (tx) => {
          const { members, displayName } = await find<DirectoryGroup>(tx, GROUPS, id);
          await tx.query('delete from directory_groups where id = $1', [id]);
          await signOut(tx, { members, group: displayName }, by);
        }),
    },
  };
}

async function list<Row extends object>(
  db: Queryable,
  { table, columns, name, shown }: Kind,
  wanted: Wanted | null,
  { offset, limit }: PageRequest,
): Promise<DirectoryPage<Row>> {
  const conditions = {
    id: 'id::text = lower($1)',
    name: `lower(${name}) = lower($1)`,
    externalId: 'external_id = $1',
    email:
      'names @> array[lower($1)] and lower($1) in (select lower(held) from unnest(emails || user_name) held)',
  };
  const isActive = wanted !== null && 'isActive' in wanted ? wanted.isActive : null;
  const condition = wanted === null || 'isActive' in wanted ? '$1::text is null' : conditions[wanted.by];
  const state = isActive === null ? shown : `${shown} and ended_at is ${isActive ? '' : 'not '}null`;
  const value = wanted === null || 'isActive' in wanted ? null : wanted.value;
  const from = `from ${table} where ${condition} and ${state}`;
  const [{ rows }, counted] = await Promise.all([
    db.query<Row>(`select ${columns} ${from} order by id offset $2 limit $3`, [value, offset, limit]),
    db.query<{ total: number }>(`select count(*)::int as total ${from}`, [value]),
  ]);
  return { total: counted.rows[0]!.total, rows };
}

async function find<Row extends object>(
  tx: Queryable,
  { table, columns, shown }: Kind,
  id: string,
): Promise<Row> {
  const { rows } = await tx.query<Row>(
    `select ${columns} from ${table} where id::text = lower($1) and ${shown}`,
    [id],
  );
  if (rows[0] === undefined) throw new NotFoundError('There is no entry with this id.');
  return rows[0];
}

async function createUser(tx: Queryable, input: UserInput, by: Actor): Promise<DirectoryUser> {
  const { rows } = await tx.query<DirectoryUser>(
    `select ${USER_COLUMNS} from directory_users where lower(user_name) = lower($1)`,
    [input.userName],
  );
  const before = rows[0] ?? null;
  if (before !== null && before.deletedAt === null) throw new ConflictError('A user with this name exists.');
  return storeUser(tx, { id: before?.id ?? uuidv7(), before, input, isDeleted: false }, by);
}

const STORE_USER = `
  insert into directory_users as u (id, user_name, external_id, emails, names, ended_at, signed_out_at, deleted_at)
  values ($1, $2, $3, $4, $5, case when $6 then null else now() end, case when $6 then null else now() end,
    case when $7 then now() end)
  on conflict (id) do update set user_name = excluded.user_name, external_id = excluded.external_id,
    emails = excluded.emails, names = excluded.names, deleted_at = excluded.deleted_at, changed_at = now(),
    ended_at = case when $6 then null else coalesce(u.ended_at, now()) end,
    -- Sign-ins from before stay invalid if the access is restored.
    signed_out_at = case when $6 then u.signed_out_at else now() end
  returning ${USER_COLUMNS}`;

/** Tokens keep belonging to a user who gets other names. Parameters: $1 the names before, $2 the names after */
const RENAME_OWNER = `update api_tokens set owner_names =
    array(select name from unnest(owner_names) name where name <> all($1::text[]) union select unnest($2::text[]))
  where owner_names && $1 and $1::text[] <> $2::text[]`;

async function storeUser(
  tx: Queryable,
  {
    id,
    before,
    input,
    isDeleted,
  }: { id: string; before: DirectoryUser | null; input: UserInput; isDeleted: boolean },
  by: Actor,
): Promise<DirectoryUser> {
  const { userName, externalId, emails, isActive } = input;
  const named = [...new Set([userName, ...emails].map((name) => name.toLowerCase()))];
  const names = isActive ? named : [...new Set([...named, ...(before?.names ?? [])])];
  await requireFree(tx, USERS, { id, name: userName });
  const { rows } = await tx.query<DirectoryUser>(STORE_USER, [
    ...[id, userName, externalId, emails, names, isActive, isDeleted],
  ]);
  if (before?.endedAt === null) await tx.query(RENAME_OWNER, [before.names, named]);
  await suspendTokens(tx, [...names, ...(before?.names ?? [])]);
  const wasActive = before === null || before.endedAt === null;
  if (wasActive && !isActive)
    await recordAudit(tx, by, { action: 'user.end', target: null, detail: { user: userName } });
  if (!wasActive && isActive)
    await recordAudit(tx, by, { action: 'user.restore', target: null, detail: { user: userName } });
  return rows[0]!;
}

/** Suspends the tokens of ended users, and resumes those of users who have access again. */
async function suspendTokens(tx: Queryable, names: readonly string[]): Promise<void> {
  await tx.query(
    `update api_tokens t set suspended_at = case when suspended_at is null then now() end
     where owner_names && $1 and (suspended_at is null) = ${hasEndedSql('t.owner_names')}`,
    [names],
  );
}

async function storeGroup(
  tx: Queryable,
  { id, before, input }: { id: string; before: DirectoryGroup | null; input: GroupInput },
  by: Actor,
): Promise<DirectoryGroup> {
  const { displayName, externalId } = input;
  await requireFree(tx, GROUPS, { id, name: displayName });
  const { rows } = await tx.query<DirectoryGroup>(
    `insert into directory_groups (id, display_name, external_id, members)
     select $1, $2, $3, coalesce((select array_agg(u.id order by u.id) from directory_users u
       where u.id::text = any($4) and u.deleted_at is null), '{}')
     on conflict (id) do update set display_name = excluded.display_name, external_id = excluded.external_id,
       members = excluded.members, changed_at = now()
     returning ${GROUP_COLUMNS}`,
    [id, displayName, externalId, [...new Set(input.members.map((member) => member.toLowerCase()))]],
  );
  const group = rows[0]!;
  if (before !== null) {
    const isRenamed = before.displayName !== displayName;
    const members = before.members.filter((member) => isRenamed || !group.members.includes(member));
    await signOut(tx, { members, group: before.displayName }, by);
  }
  return group;
}

/** Signs users out who left a group, because their sign-ins still carry its roles and teams. */
async function signOut(
  tx: Queryable,
  { members, group }: { members: readonly string[]; group: string },
  by: Actor,
): Promise<void> {
  if (members.length === 0) return;
  const { rows } = await tx.query<{ userName: string }>(
    `update directory_users set signed_out_at = now() where id = any($1::uuid[]) and ended_at is null
     returning user_name as "userName"`,
    [members],
  );
  const users = rows.map(({ userName }) => userName).sort();
  if (users.length > 0)
    await recordAudit(tx, by, { action: 'user.sign_out', target: null, detail: { group, users } });
}

/** @throws ConflictError if another entry has the name */
async function requireFree(
  tx: Queryable,
  { table, name: column }: Kind,
  { id, name }: { id: string; name: string },
): Promise<void> {
  const { rows } = await tx.query(
    `select 1 from ${table} where lower(${column}) = lower($1) and id::text <> $2`,
    [name, id],
  );
  if (rows.length > 0) throw new ConflictError('Another entry has this name.');
}
