import type { SessionSnapshot } from '../../engine/api/engine.ts';
import type { UsageArgs, UsageDimension } from '../../schema/args.ts';
import { badUserInput } from '../../schema/errors.ts';
import type { UsageFigures } from '../../schema/views.ts';
import { type Parameters, parameters } from './parameters.ts';
import { visibleConditions } from './session-search.ts';
import type { ReadDb } from './tables.ts';

const MAX_DAYS = 400;
const DAY_MS = 24 * 3_600_000;

const TOP = 20;

/** SQL expressions for the keys that come from model calls `c`. */
const BY_CALL: Partial<Record<UsageDimension, string>> = {
  MODEL: 'c.model_name',
  DAY: `to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD')`,
};

/** SQL expressions for the keys that come from sessions `t`. Storm sessions have their source as author. */
const BY_SESSION: Partial<Record<UsageDimension, string>> = {
  ALERT_TYPE: 't.alert_type',
  CHAIN: 't.chain_id',
  TEAM: `coalesce(t.team, '')`,
  SOURCE: `coalesce((select g.source from alert_groups g where g.id = t.group_id),
    (select min(g.source) from alert_groups g where g.session_id = t.id and g.source = t.author), '')`,
};

const TOKENS = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  thinkingTokens: 'thinking_tokens',
  totalTokens: 'total_tokens',
  cachedReadTokens: 'cached_read_tokens',
  cacheWriteTokens: 'cache_write_tokens',
};

/** Names and SQL of the figures. Sums are computed per session first, because that reads only an index. */
const FIGURES = [
  ['calls', 'count(*)'],
  ['usd', 'coalesce(sum(c.cost_usd), 0)'],
  ['unpricedCalls', 'count(*) filter (where c.cost_usd is null)'],
  ...Object.entries(TOKENS).map(([name, column]) => [name, `sum(c.${column})`] as const),
] as const;

export async function readUsage(
  db: ReadDb,
  args: UsageArgs,
): Promise<{ total: UsageFigures; rows: UsageFigures[] }> {
  const params = parameters();
  const ofCall = BY_CALL[args.by];
  const calls = callsOf(args, params, ofCall ?? `''`);
  const where = await visibleConditions(db, args.filter, params);
  const sums = FIGURES.map(([name]) => `coalesce(sum(u."${name}"), 0)::float8 as "${name}"`);
  const { rows } = await db.pool.query<UsageFigures & { isTotal: boolean }>(
    `with calls as materialized (${calls}),
     used as (
       select c.*, ${ofCall ? 'c.key' : BY_SESSION[args.by]} as common from calls c join alert_sessions t on t.id = c.session_id
       where ${where})
     select coalesce(u.common, '') as key, grouping(u.common) = 1 as "isTotal",
       count(distinct u.session_id)::int as sessions, ${sums.join(', ')}
     from used u group by grouping sets ((u.common), ())
     order by ${args.by === 'DAY' ? 'u.common' : '"usd" desc, "totalTokens" desc, u.common'}`,
    params.values,
  );
  const figures = rows.map(({ isTotal: _, ...row }) => row);
  const total = rows.findIndex(({ isTotal }) => isTotal);
  return { total: figures[total]!, rows: figures.toSpliced(total, 1) };
}

export async function readMostExpensive(db: ReadDb, args: UsageArgs): Promise<SessionSnapshot[]> {
  const params = parameters();
  const calls = callsOf(args, params, `''`);
  const where = await visibleConditions(db, args.filter, params);
  const { rows } = await db.pool.query<SessionSnapshot>(
    `with calls as materialized (${calls})
     select ${db.tables.session.columns} from calls c join alert_sessions t on t.id = c.session_id
     where ${where} order by c.usd desc, c."totalTokens" desc, t.id limit ${TOP}`,
    params.values,
  );
  return rows;
}

/** Returns the SQL of each session's usage per `key`, an expression on calls `c`. @throws BAD_USER_INPUT */
function callsOf({ from, to }: UsageArgs, params: Parameters, key: string): string {
  const days = (to.getTime() - from.getTime()) / DAY_MS;
  if (!(days >= 0 && days <= MAX_DAYS))
    throw badUserInput(`\`to\` must not be before \`from\`, and at most ${MAX_DAYS} days after it.`);
  const figures = FIGURES.map(([name, sum]) => `${sum} as "${name}"`);
  return `select c.session_id, ${key} as key, ${figures.join(', ')} from llm_interactions c
    where c.created_at >= ${params.add(from)} and c.created_at < ${params.add(to)} group by 1, 2`;
}
