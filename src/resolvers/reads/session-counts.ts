import type { SessionCountsArgs, SessionFacet, SessionFilterValue } from '../../schema/args.ts';
import type { SessionCountsView } from '../../schema/views.ts';
import { parameters } from './parameters.ts';
import { NEEDS_REVIEW } from './session-filter.ts';
import { visibleConditions } from './session-search.ts';
import type { ReadDb } from './tables.ts';

/** Largest number of sessions counted, newest first. Reading that many rows takes 20–60 ms. */
const MAX_COUNTED = 20_000;

const MAX_VALUES = 200;

interface Facet {
  /** SQL value of a session `t`. */
  value: string;
  /** Filter field that selects by the value. */
  condition: keyof SessionFilterValue;
  /** True if the value is an array whose elements are counted. */
  isList?: true;
}

const FACETS: Record<SessionFacet, Facet> = {
  STATUS: { value: 't.status', condition: 'status' },
  SEVERITY: { value: 't.severity', condition: 'severity' },
  VERDICT: { value: 't.verdict', condition: 'verdict' },
  LABEL: { value: 't.labels', condition: 'labels', isList: true },
  ALERT_TYPE: { value: 't.alert_type', condition: 'alertType' },
  CHAIN: { value: 't.chain_id', condition: 'chainId' },
  AUTHOR: { value: 't.author', condition: 'author' },
  TEAM: { value: 't.team', condition: 'team' },
  REVIEW_STATUS: {
    value: `case when ${NEEDS_REVIEW} then 'NEEDS_REVIEW' else t.review_status end`,
    condition: 'reviewStatus',
  },
  RATING: { value: 't.rating', condition: 'rating' },
};

/** Counts sessions per value of a facet. Leaves out the filter's own condition on that facet. @throws BAD_USER_INPUT */
export async function readSessionCounts(db: ReadDb, args: SessionCountsArgs): Promise<SessionCountsView> {
  const { value, condition, isList } = FACETS[args.by];
  const filter = { ...args.filter, [condition]: null };
  const params = parameters();
  const where = await visibleConditions(db, filter, params);
  const newest = `select ${value} as value, row_number() over (order by t.created_at desc, t.id desc) as n
    from alert_sessions t where ${where} order by t.created_at desc, t.id desc limit ${MAX_COUNTED + 1}`;
  const { rows } = await (filter.search == null ? db.pool : db.search).query<{
    value: string | null;
    count: number;
    isTotal: boolean;
    more: boolean;
  }>(
    `select value, (${isList ? 'count(distinct n)' : 'count(*)'} filter (where n <= ${MAX_COUNTED}))::int as count, grouping(value) = 1 as "isTotal",
       coalesce(max(n) > ${MAX_COUNTED}, false) as more from (${isList ? elements(newest) : newest}) found
     group by grouping sets ((value), ()) order by 3 desc, 2 desc, 1 limit ${MAX_VALUES}`,
    params.values,
  );
  const total = rows.find(({ isTotal }) => isTotal);
  return {
    values: rows.flatMap(({ value, count, isTotal }) =>
      isTotal || value === null || count === 0 ? [] : [{ value, count }],
    ),
    counted: total?.count ?? 0,
    whole: total?.more !== true,
  };
}

/** Returns a row for each element of the lists, and one without a value for each empty list. */
const elements = (lists: string) =>
  `select element as value, n from (${lists}) lists left join lateral unnest(value) element on true`;
