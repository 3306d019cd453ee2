import type { TokenView } from '../../access/tokens.ts';
import { visibilityParameter, visiblePartsSql, visibleSql } from '../../access/visibility.ts';
import type { ApprovalRow } from '../../db/entities/index.ts';
import type { SessionSnapshot } from '../../engine/api/engine.ts';
import { NOT_A_REPLAY } from '../../engine/features/cases/store.ts';
import type { SessionFilterOptions } from '../../schema/views.ts';
import type { ReadDb } from './tables.ts';
import { sessionShown } from './visible-rows.ts';
import { QUEUE_ORDER } from './waiting.ts';

/** Largest number of sessions per list. The query `sessions` pages through all. */
const MAX_LISTED = 500;

/**
 * Returns running and waiting sessions, in one statement, so that a session that starts is in exactly one list. Selects ids
 * first, so that rows of invisible sessions are not read.
 */
export async function readActiveSessions({ pool, tables, sight }: ReadDb) {
  const ids = (status: string, order: string) =>
    `(select t.id from alert_sessions t where t.deleted_at is null and ${visibleSql('t.team', '$1')} and ${NOT_A_REPLAY}
        and t.status ${status} order by ${order} limit ${MAX_LISTED})`;
  const { rows } = await pool.query<SessionSnapshot>(
    `select ${tables.session.columns} from alert_sessions t where t.id in (
       ${ids(`in ('IN_PROGRESS', 'CANCELLING', 'WAITING_FOR_APPROVAL')`, 't.created_at desc')}
       union all ${ids(`= 'PENDING'`, QUEUE_ORDER)})
     order by case when t.status <> 'PENDING' then t.created_at end desc nulls last, ${QUEUE_ORDER}`,
    [visibilityParameter(sight)],
  );
  const isQueued = ({ status }: SessionSnapshot) => status === 'PENDING';
  return { active: rows.filter((row) => !isQueued(row)), queued: rows.filter(isQueued) };
}

export async function readFilterOptions(db: ReadDb): Promise<SessionFilterOptions> {
  return (db.sight === null ? await allChoices(db) : await visibleChoices(db)) as SessionFilterOptions;
}

type Choices<Of = string[]> = Record<keyof SessionFilterOptions, Of>;

const CHOICES: Choices<string> = {
  alertTypes: 'alert_type',
  chainIds: 'chain_id',
  authors: 'author',
  statuses: 'status',
  teams: 'team',
};

async function allChoices(db: ReadDb): Promise<Choices> {
  const names = Object.entries(CHOICES).map(async ([name, column]) => [name, await distinct(db, column)]);
  return Object.fromEntries(await Promise.all(names)) as Choices;
}

// Returns a column's distinct values. Jumps along its index, so that cost grows with the values, not with the rows.
async function distinct({ pool }: ReadDb, column: string): Promise<string[]> {
  const result = await pool.query<{ value: string }>(`
    with recursive steps as (
      (select ${column} as value from alert_sessions where deleted_at is null order by ${column} limit 1)
      union all
      select (
        select ${column} from alert_sessions
        where ${column} > steps.value and deleted_at is null order by ${column} limit 1
      ) from steps where steps.value is not null
    )
    select value from steps where value <> ''`);
  return result.rows.map((row) => row.value);
}

/**
 * Like `allChoices`, for viewers limited to teams. Reads all index entries, because jumps would hit other teams' rows.
 */
async function visibleChoices({ pool, sight }: ReadDb): Promise<Choices> {
  const teams = visibilityParameter(sight);
  const lists = Object.entries(CHOICES).map(
    ([name, column]) =>
      `array(select distinct ${column} from seen where ${column} <> '' order by 1) as "${name}"`,
  );
  const seen = visiblePartsSql('team', '$1', teams).map(
    (part) =>
      `select distinct team, alert_type, chain_id, author, status from alert_sessions where deleted_at is null and ${part}`,
  );
  const { rows } = await pool.query<Choices>(
    `with seen as materialized (${seen.join(' union all ')}) select ${lists.join(', ')}`,
    [teams],
  );
  return rows[0]!;
}

const MAX_TOKENS_LISTED = 1000;

export async function readApiTokens({ pool, tables: { apiToken } }: ReadDb): Promise<TokenView[]> {
  const { rows } = await pool.query<TokenView>(`
    select ${apiToken.columns} from ${apiToken.name} t
    order by t.revoked_at is not null or coalesce(t.expires_at <= now(), false), t.created_at desc, t.id desc
    limit ${MAX_TOKENS_LISTED}`);
  return rows;
}

const MAX_PENDING = 200;

export async function readPendingApprovals({ pool, tables, sight }: ReadDb): Promise<ApprovalRow[]> {
  const { rows } = await pool.query<ApprovalRow>(
    `select ${tables.approval.columns} from approvals t where t.status = 'PENDING' and ${sessionShown('$1')}
     order by t.requested_at, t.id limit ${MAX_PENDING}`,
    [visibilityParameter(sight)],
  );
  return rows;
}
