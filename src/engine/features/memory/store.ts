import { v7 as uuidv7 } from 'uuid';
import { type Actor, recordAudit } from '../../../audit.ts';
import { NotFoundError, ValidationError } from '../../../common/errors.ts';
import { requireStorable, toStorable } from '../../../common/storable.ts';
import type { AlertSessionRow, MemoryRow } from '../../../db/entities/index.ts';
import type { MemoryCategory, QualityRating } from '../../../db/enums.ts';
import type { Queryable, Transaction } from '../../../db/queryable.ts';
import type { Masking } from '../../../masking/masking.ts';
import type { MemoryChange } from '../../api/engine.ts';
import type { RowWriter } from '../../store/event-statement.ts';
import { toSearchWords } from './recall.ts';

/** Maximum length of a memory (UTF-16 code units). */
export const MEMORY_MAX_LENGTH = 1_000;

export interface Lesson {
  category: MemoryCategory;
  content: string;
  /** Id of a memory with the same statement; `null` if there is none. */
  sameAs: string | null;
}

export type LessonSource = Pick<AlertSessionRow, 'id' | 'alertType' | 'team' | 'title' | 'entities'>;

export type MemoryMasking = Pick<Masking, 'maskText'>;

/** Masks secrets regardless of configuration, and removes citations. @throws Error if masking fails */
export function maskMemory(masking: MemoryMasking, text: string): string {
  return masking
    .maskText(toStorable(text))
    .replace(/\[T\d+\]/g, '')
    .replace(/[^\S\n]+/g, ' ')
    .trim();
}

/**
 * Stores each lesson as a new memory or as a further source of a known one. The caller then calls
 * `adjustConfidence`, which sets the confidence of these memories.
 */
export async function addLessons(
  tx: Queryable,
  source: LessonSource,
  rating: QualityRating | null,
  lessons: readonly Lesson[],
): Promise<void> {
  const { id: sessionId, alertType, team = null } = source;
  for (const { category, content, sameAs } of lessons) {
    const known = sameAs ?? (await findEqual(tx, team, content));
    const id = known ?? uuidv7();
    if (known === null)
      await tx.query(
        `insert into memories (id, content, category, alert_type, team, confidence, source_session_id, document)
         values ($1, $2, $3, $4, $5, 0.5, $6, to_tsvector('english', $7))`,
        [id, content, category, alertType, team, sessionId, searchDocument(content, source)],
      );
    else await tx.query('update memories set updated_at = now() where id = $1', [id]);
    await tx.query(
      `insert into memory_sessions (memory_id, session_id, role, rating) values ($1, $2, 'SOURCE', $3)
       on conflict do nothing`,
      [id, sessionId, rating],
    );
  }
}

type LessonTopic = Partial<Pick<LessonSource, 'title' | 'entities'>> & Pick<MemoryRow, 'alertType'>;

function searchDocument(content: string, { alertType, title, entities }: LessonTopic): string {
  return toSearchWords([content, alertType, title, ...(entities ?? [])].filter(Boolean).join('\n'));
}

async function findEqual(tx: Queryable, team: string | null, content: string): Promise<string | null> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from (
       select id, content from memories where team is not distinct from $1 and document @@ plainto_tsquery('english', $2)
       limit 100
     ) m where similarity(content, $3) > 0.7 order by similarity(content, $3) desc limit 1`,
    [team, toSearchWords(content.slice(0, 80)), content],
  );
  return rows[0]?.id ?? null;
}

/** True if lessons of the session were extracted, even if there were none or all were deleted. */
export async function hasLearnedFrom(db: Queryable, sessionId: string): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from alert_sessions where id = $1 and taught_at is not null
     union all
     select 1 from memory_sessions where session_id = $1 and role = 'SOURCE' limit 1`, // sessions from before `taught_at` existed
    [sessionId],
  );
  return rows.length > 0;
}

/**
 * Recomputes the confidence of the memories that sessions taught or used. Deprecates memories without a
 * source that is accurate or partly accurate, unless a user has set `deprecated`. Call it once per
 * transaction, because two calls may deadlock.
 * @param learnFrom with `reviewed`, an unrated source does not keep a memory from being deprecated
 */
export async function adjustConfidence(
  tx: Queryable,
  ratings: ReadonlyMap<string, QualityRating | null>,
  learnFrom: 'reviewed' | 'completed',
): Promise<void> {
  if (ratings.size === 0) return;
  const sessionIds = [...ratings.keys()];
  await tx.query(
    `select 1 from memories where id in (select memory_id from memory_sessions where session_id = any($1::uuid[]))
     order by id for no key update`,
    [sessionIds],
  );
  await tx.query(
    `update memory_sessions m set rating = r.rating from unnest($1::uuid[], $2::text[]) r (session_id, rating)
     where m.session_id = r.session_id`,
    [sessionIds, [...ratings.values()]],
  );
  await tx.query(ADJUST_CONFIDENCE, [sessionIds, learnFrom === 'completed']);
}

/**
 * Confidence: share of accurate sessions among those that taught (weight 1) or used (0.25) the memory; prior
 * 0.5. Partly accurate sessions and unrated sources count as half accurate. Unrated uses do not count.
 */
const ADJUST_CONFIDENCE = `
  update memories m set confidence = j.confidence, seen_count = j.seen,
    deprecated = case when m.judged_by is null then not j.holds else m.deprecated end
  from (
    select memory_id, (coalesce(sum(weight * value), 0) + 0.5) / (coalesce(sum(weight), 0) + 1) as confidence,
      greatest(count(*) filter (where role = 'SOURCE'), 1) as seen,
      coalesce(bool_or(role = 'SOURCE' and (value > 0 and (rating is not null or $2))), false) as holds
    from (
      select memory_id, role, rating,
        case when role = 'SOURCE' then 1.0 when rating is not null then 0.25 else 0 end as weight,
        case rating when 'ACCURATE' then 1.0 when 'INACCURATE' then 0.0 else 0.5 end as value
      from memory_sessions
      where memory_id in (select memory_id from memory_sessions where session_id = any($1::uuid[]))
    ) s group by memory_id
  ) j
  where m.id = j.memory_id`;

/** Records the memories that agents received, because the session's rating later adjusts their confidence. */
export const MEMORY_USE: RowWriter = {
  name: 'memory_use',
  columns: { memory_id: 'uuid' },
  sql: (rows) => `insert into memory_sessions (memory_id, session_id, role)
    select m.id, l.id, 'USE' from locked l, ${rows} join memories m on m.id = r.memory_id
    on conflict do nothing`,
};

interface EditDeps {
  transaction: Transaction;
  masking: MemoryMasking;
}

/**
 * Changes a memory. Reviews never change a `deprecated` flag that was set by this function.
 * @throws ValidationError, NotFoundError
 */
export async function updateMemory(
  { transaction, masking }: EditDeps,
  id: string,
  change: MemoryChange,
  by: Actor,
): Promise<MemoryRow> {
  const content = change.content === null ? null : checkedContent(masking, change.content);
  if (content === null && change.category === null && change.deprecated === null)
    throw new ValidationError('There is nothing to change. Give content, category or deprecated.');
  return transaction(async (tx) => {
    const { rows } = await tx.query<LessonTopic>(
      `select m.alert_type as "alertType", s.title, s.entities
       from memories m left join alert_sessions s on s.id = m.source_session_id where m.id = $1 for no key update of m`,
      [id],
    );
    const source = rows[0];
    if (!source) throw new NotFoundError('There is no memory with this id.');
    const document = content === null ? null : searchDocument(content, source);
    const changed = await tx.query<MemoryRow>(
      `update memories set content = coalesce($2, content), category = coalesce($3, category),
         deprecated = coalesce($4, deprecated), judged_by = case when $4::boolean is null then judged_by else $5 end,
         document = coalesce(to_tsvector('english', $6), document), updated_at = now()
       where id = $1 returning ${COLUMNS}`,
      [id, content, change.category, change.deprecated, by.name, document],
    );
    const { category, deprecated } = change;
    await recordAudit(tx, by, {
      action: 'memory.update',
      target: { type: 'Memory', id },
      detail: { content: content !== null, category, deprecated },
    });
    return changed.rows[0]!;
  });
}

const COLUMNS = `id, content, category, alert_type as "alertType", team, confidence, seen_count as "seenCount", deprecated,
  judged_by as "judgedBy", source_session_id as "sourceSessionId", created_at as "createdAt", updated_at as "updatedAt"`;

function checkedContent(masking: MemoryMasking, text: string): string {
  requireStorable(text, 'content');
  if (text.trim() === '')
    throw new ValidationError('The memory has no text. Give a text, or delete the memory.', 'content');
  if (text.length > MEMORY_MAX_LENGTH)
    throw new ValidationError(
      `The text has ${text.length} characters; at most ${MEMORY_MAX_LENGTH} are allowed.`,
      'content',
    );
  try {
    return maskMemory(masking, text);
  } catch {
    throw new ValidationError('Secrets in this text could not be masked. Reword it.', 'content');
  }
}

export async function deleteMemory({ transaction }: EditDeps, id: string, by: Actor): Promise<void> {
  await transaction(async (tx) => {
    const { rowCount } = await tx.query('delete from memories where id = $1', [id]);
    if (rowCount === 0) throw new NotFoundError('There is no memory with this id.');
    await recordAudit(tx, by, { action: 'memory.delete', target: { type: 'Memory', id } });
  });
}
