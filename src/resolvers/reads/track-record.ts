import { visibilityParameter, visibleSql } from '../../access/visibility.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { RecordFilter } from '../../schema/args.ts';
import type { AlertTypeRecord, ReliabilityBucket, TrackRecord } from '../../schema/views.ts';
import { parameters } from './parameters.ts';
import type { ReadDb } from './tables.ts';

const LEAST_FOR_BRIER = 5;
const BUCKETS = 5;
const MAX_RECORDS = 200;

/** Condition for rated sessions, as in the index `alert_sessions_record`. Reports of the offline rules have no confidence. */
const RATED =
  't.rating is not null and t.verdict is not null and t.confidence is not null and t.deleted_at is null';

const OUTCOME = `case t.rating when 'ACCURATE' then 1 when 'PARTIALLY_ACCURATE' then 0.5 else 0 end`;

/** Select list: sums over sessions `t` for each confidence bucket (numbered from 0). */
const SUMS = `least(floor(t.confidence * ${BUCKETS}), ${BUCKETS - 1})::int as bucket, count(*)::int as reviewed,
  (count(*) filter (where t.rating = 'ACCURATE'))::int as accurate,
  (count(*) filter (where t.rating = 'PARTIALLY_ACCURATE'))::int as partial,
  sum(t.confidence) as confidence, sum(power(t.confidence - ${OUTCOME}, 2)) as distance`;

interface Sums {
  bucket: number;
  reviewed: number;
  accurate: number;
  partial: number;
  confidence: number;
  /** Sum of the squared differences between confidence and outcome. */
  distance: number;
}

export async function readTrackRecord({ pool, sight }: ReadDb, filter: RecordFilter): Promise<TrackRecord> {
  const { values, add, given } = parameters();
  const where = [
    RATED,
    visibleSql('t.team', add(visibilityParameter(sight))),
    ...given('alert_type =', filter.alertType),
    ...given('chain_id =', filter.chainId),
    ...given('created_at >=', filter.since),
  ];
  const { rows } = await pool.query<Sums>(
    `select ${SUMS} from alert_sessions t where ${where.join(' and ')} group by bucket`,
    values,
  );
  return recordOf(rows);
}

export async function readTrackRecords(
  { pool, sight }: ReadDb,
  since: Date | null,
): Promise<AlertTypeRecord[]> {
  const { rows } = await pool.query<Sums & { alertType: string; chainId: string }>(
    `select t.alert_type as "alertType", t.chain_id as "chainId", ${SUMS} from alert_sessions t
     where ${RATED} and ${visibleSql('t.team', '$1')} and ($2::timestamptz is null or t.created_at >= $2)
     group by t.alert_type, t.chain_id, bucket`,
    [visibilityParameter(sight), since],
  );
  return [...Map.groupBy(rows, ({ alertType, chainId }) => JSON.stringify([alertType, chainId])).values()]
    .map((sums) => ({
      alertType: sums[0]!.alertType,
      chainId: sums[0]!.chainId,
      record: recordOf(sums),
    }))
    .sort((a, b) => b.record.reviewed - a.record.reviewed || (a.alertType < b.alertType ? -1 : 1))
    .slice(0, MAX_RECORDS);
}

/** Returns one track record per key (`recordKey`), in key order. */
export async function readRecordsOf(
  db: Queryable,
  sight: string[] | null,
  keys: readonly string[],
): Promise<TrackRecord[]> {
  const { rows } = await db.query<Sums & { key: string }>(
    `select k.key, s.* from unnest($1::text[]) k (key) cross join lateral (
       select ${SUMS} from alert_sessions t
       where t.alert_type = k.key::json ->> 0 and t.chain_id = k.key::json ->> 1 and t.verdict = k.key::json ->> 2
         and ${RATED} and ${visibleSql('t.team', '$2')} group by bucket) s`,
    [keys, sight],
  );
  const byKey = Map.groupBy(rows, ({ key }) => key);
  return keys.map((key) => recordOf(byKey.get(key) ?? []));
}

function recordOf(rows: readonly Sums[]): TrackRecord {
  const total = (of: keyof Sums) => rows.reduce((sum, row) => sum + row[of], 0);
  const [reviewed, accurate, partiallyAccurate] = [total('reviewed'), total('accurate'), total('partial')];
  return {
    reviewed,
    accurate,
    partiallyAccurate,
    inaccurate: reviewed - accurate - partiallyAccurate,
    brierScore: reviewed < LEAST_FOR_BRIER ? null : total('distance') / reviewed,
    reliability: rows.toSorted((a, b) => a.bucket - b.bucket).map(bucketOf),
  };
}

function bucketOf({ bucket, reviewed, accurate, partial, confidence }: Sums): ReliabilityBucket {
  return {
    from: bucket / BUCKETS,
    to: (bucket + 1) / BUCKETS,
    reviewed,
    confidence: confidence / reviewed,
    accuracy: (accurate + partial / 2) / reviewed,
  };
}
