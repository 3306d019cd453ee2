import { visibleSql } from '../../access/visibility.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SimilarSession } from '../../schema/views.ts';

/** Number of newest sessions of the same alert type, and of the same group, that are compared. */
const COMPARED = 200;
const MAX_SIMILAR = 5;
const MIN_SIMILARITY = 0.35;

interface Compared {
  of: string;
  id: string;
  /** Trigram similarity of the titles, 0–1. */
  title: number;
  sameType: boolean;
  sameGroup: boolean;
  entities: string[];
  own: string[];
}

/** Returns the completed sessions most similar to each key. @param sight visible teams; `null` = all teams */
export async function readSimilar(
  db: Queryable,
  keys: readonly string[],
  sight: readonly string[] | null,
): Promise<SimilarSession[][]> {
  const { rows } = await db.query<Compared>(SIMILAR, [keys, sight]);
  const bySession = Map.groupBy(rows, ({ of }) => of);
  return keys.map((key) => best(bySession.get(key) ?? []));
}

function best(compared: readonly Compared[]): SimilarSession[] {
  return compared
    .map(likeness)
    .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
    .toSorted((a, b) => b.similarity - a.similarity) // ties keep the newest first
    .slice(0, MAX_SIMILAR);
}

function likeness({ id, title, sameType, sameGroup, entities, own }: Compared): SimilarSession {
  const common = entities.filter((entity) => own.includes(entity));
  const all = new Set([...entities, ...own]).size;
  const shared = all === 0 ? 0 : common.length / all;
  const similarity = 0.4 * title + 0.3 * shared + 0.15 * Number(sameType) + 0.15 * Number(sameGroup);
  const reasons = [
    ...(sameGroup ? ['the same alert group'] : []),
    ...(common.length > 0 ? [`both about ${common.slice(0, 3).join(', ')}`] : []),
    ...(title === 1 ? ['the same title'] : title >= 0.5 ? ['a similar title'] : []),
    ...(sameType ? ['the same alert type'] : []),
  ];
  return {
    sessionId: id,
    similarity: Math.round(Math.min(similarity, 1) * 100) / 100,
    reason: reasons.join('; '),
  };
}

const SHOWN = `s.id <> o.id and s.deleted_at is null and s.status = 'COMPLETED'
  and not exists (select 1 from replays p where p.session_id = s.id) and ${visibleSql('s.team', '$2')}`;
const COLUMNS = 's.id, s.title, s.alert_type, s.group_id, s.entities, s.created_at';
const NEWEST = `order by s.created_at desc, s.id desc limit ${COMPARED}`;

const SIMILAR = `
  select o.id as of, c.id, coalesce(similarity(c.title, o.title), 0) as title, c.alert_type = o.alert_type as "sameType",
    coalesce(c.group_id = o.group_id, false) as "sameGroup", coalesce(c.entities, '{}') as entities, coalesce(o.entities, '{}') as own
  from alert_sessions o cross join lateral (
    (select ${COLUMNS} from alert_sessions s where s.alert_type = o.alert_type and ${SHOWN} ${NEWEST})
    union
    (select ${COLUMNS} from alert_sessions s where s.group_id = o.group_id and ${SHOWN} ${NEWEST})
  ) c
  where o.id = any($1) order by c.created_at desc, c.id desc`;
