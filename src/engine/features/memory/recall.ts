import { type Visibility, visibilityParameter, visibleSql } from '../../../access/visibility.ts';
import type { MemoryRow } from '../../../db/entities/index.ts';
import type { Queryable } from '../../../db/queryable.ts';

export interface RecallQuery {
  text: string;
  visibility: Visibility;
  limit: number;
  /** Age (days) at which a memory has lost half of that part of its weight that decreases with age. */
  halfLifeDays: number;
}

export type RecalledMemory = Pick<
  MemoryRow,
  'id' | 'content' | 'category' | 'alertType' | 'confidence' | 'seenCount' | 'createdAt' | 'updatedAt'
>;

/**
 * Maximum number of memories that are ranked by rare words. The same limit applies to words of similar
 * spelling, and to memories with two common words.
 */
const MAX_CANDIDATES = 1000;
const MAX_WORDS = 20;
/** Maximum number of common words. Memories with at least two of them are ranked too. */
const MAX_COMMON = 10;
const MAX_SIMILAR = 6;
const MIN_SIMILARITY = 0.45;
/** Only words in at most this many memories, or in this share of all, are searched for similar spelling. */
const RARE_MEMORIES = 20;
const RARE_SHARE = 0.002;
/** Minimum score of a result, as a share of the best score. */
const MIN_SHARE = 0.3;
/** Constant of reciprocal rank fusion; a larger one flattens the difference between the first ranks. */
const K = 60;
/** Share of a memory's weight that does not decrease with age. */
const AGELESS = 0.5;

/**
 * Returns the memories that fit a text best, without deprecated ones:
 * 1. ranks memories by shared words, weighted by rarity
 * 2. ranks memories by words of similar spelling (trigrams)
 * 3. fuses both ranks, weighted by confidence and age
 */
export async function recall(
  db: Queryable,
  { text, visibility, limit, halfLifeDays }: RecallQuery,
): Promise<RecalledMemory[]> {
  const { words, total } = await readWords(db, toSearchWords(text));
  const stored = words.filter(({ memories }) => memories > 0);
  const rarest = withinCandidateLimit(stored);
  const others = byRarity(stored.filter((word) => !rarest.includes(word)));
  const exact = toTerms(rarest, total);
  const common = toTerms(others.slice(0, MAX_COMMON), total);
  const similar = await readSimilar(db, words, total);
  if (exact.length + common.length + similar.length === 0) return [];
  const { rows } = await db.query<RecalledMemory>(RECALL, [
    ...toParameters(exact),
    ...toParameters(similar),
    visibilityParameter(visibility),
    limit,
    halfLifeDays,
    anyTwoOf(common),
    ...toParameters(common),
  ]);
  return rows;
}

interface Word {
  word: string;
  memories: number;
}

interface Term {
  word: string;
  weight: number;
}

/** Returns the stems of a text and how many memories contain each; `total` is the number of memories. */
async function readWords(db: Queryable, text: string): Promise<{ words: Word[]; total: number }> {
  const { rows } = await db.query<Word>(
    `select q.word, greatest(coalesce(w.memories, 0), 0) as memories
     from (select unnest(tsvector_to_array(to_tsvector('english', $1))) as word union all select '') q
     left join memory_words w on w.word = q.word`,
    [text],
  );
  const total = rows.find(({ word }) => word === '')?.memories ?? 0;
  return { words: rows.filter(({ word }) => word !== ''), total };
}

/** Returns the inverse document frequency of a word. */
function weightOf(memories: number, total: number): number {
  return Math.log(1 + (total - memories + 0.5) / (memories + 0.5));
}

function toTerms(words: readonly Word[], total: number): Term[] {
  return words.map(({ word, memories }) => ({ word, weight: weightOf(memories, total) }));
}

function byRarity<W extends Word>(words: readonly W[]): W[] {
  return words.toSorted((a, b) => a.memories - b.memories);
}

function anyTwoOf(terms: readonly Term[]): string {
  const [queries] = toParameters(terms);
  return queries
    .slice(0, -1)
    .map((query, at) => `${query} & (${queries.slice(at + 1).join(' | ')})`)
    .join(' | ');
}

/**
 * Returns the rarest words, as long as they occur in at most MAX_CANDIDATES memories together. A single word
 * always passes.
 */
function withinCandidateLimit<W extends Word>(words: readonly W[]): W[] {
  const rarest = byRarity(words).slice(0, MAX_WORDS);
  let candidates = 0;
  return rarest.filter(({ memories }) => {
    candidates += memories;
    return rarest.length === 1 || candidates <= MAX_CANDIDATES;
  });
}

/** Returns stored words of similar spelling: other forms, parts, typing errors. */
async function readSimilar(db: Queryable, words: readonly Word[], total: number): Promise<Term[]> {
  const mostMemories = Math.max(RARE_MEMORIES, total * RARE_SHARE);
  const rare = words.filter(({ word, memories }) => memories <= mostMemories && /^\p{L}{4,}$/u.test(word));
  const searched = byRarity(rare).slice(0, MAX_SIMILAR);
  if (searched.length === 0) return [];
  const { rows } = await db.query<Word & { similarity: number }>(
    `select w.word, w.memories, w.similarity from unnest($1::text[]) q(word) cross join lateral (
       select word, memories, similarity(word, q.word) as similarity from memory_words
       where word % q.word and memories > 0 order by similarity desc, word limit 4) w
     where w.similarity >= $2`,
    [searched.map(({ word }) => word), MIN_SIMILARITY],
  );
  const best = new Map<string, Term & Word>();
  for (const { word, memories, similarity } of rows) {
    const weight = weightOf(memories, total) * similarity;
    if ((best.get(word)?.weight ?? 0) < weight) best.set(word, { word, memories, weight });
  }
  return withinCandidateLimit([...best.values()]);
}

function toParameters(terms: readonly Term[]): [queries: string[], weights: number[]] {
  const quoted = ({ word }: Term) => `'${word.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return [terms.map(quoted), terms.map(({ weight }) => weight)];
}

/** Selects matching memories. Materialized, because the limit would otherwise make PostgreSQL scan all rows. */
const found = (query: string) => `
  (with found as materialized (
    select id, length(document) as size, document from memories
    where document @@ ${query} and not deprecated and ${visibleSql('team', '$5')}
  ) select * from found limit ${MAX_CANDIDATES}) m`;

const having = (first: number) => `
  select m.id, m.size, t.weight
  from unnest($${first}::tsquery[], $${first + 1}::float8[]) t(query, weight) cross join lateral ${found('t.query')}`;

const HAVING_TWO = `
  select m.id, m.size, t.weight from ${found('$8::tsquery')}
  join unnest($9::tsquery[], $10::float8[]) t(query, weight) on m.document @@ t.query`;

/** Ranks memories by the summed weights of their matching words, normalized by length. */
const ranked = (rows: string) => `
  select id, score, rank() over (order by score desc) as rank from (
    select id, sum(weight) / (0.7 + 0.3 * least(max(size), 150) / 40.0) as score from (${rows}) had group by id
  ) scored`;

const RECALL = `
  with exact as (${ranked(`${having(1)} union all ${HAVING_TWO}`)}), alike as (${ranked(having(3))}),
  fused as (
    select id, coalesce(1.0 / (${K} + e.rank), 0) + coalesce(1.0 / (${K} + a.rank), 0) as score,
      greatest(coalesce(e.score, 0), coalesce(a.score, 0)) as fit
    from exact e full join alike a using (id)
  )
  select m.id, m.content, m.category, m.alert_type as "alertType", m.confidence, m.seen_count as "seenCount",
    m.created_at as "createdAt", m.updated_at as "updatedAt"
  from (
    select id, score from fused where fit >= ${MIN_SHARE} * (select max(fit) from fused) order by score desc limit 200
  ) f join memories m using (id)
  order by f.score * (0.7 + 0.3 * m.confidence) * (${AGELESS} + ${1 - AGELESS} * power(0.5,
    greatest(extract(epoch from now() - m.updated_at) / 86400.0, 0)::float8 / $7)) desc, m.id
  limit $6`;

/** Maximum length of a text that is searched (UTF-16 code units), because an alert may be 1 MiB long. */
const MAX_UNITS = 12_000;

const SYNONYMS: Readonly<Record<string, string>> = {
  oom: 'out of memory',
  oomkilled: 'oom out of memory killed',
  k8s: 'kubernetes',
  kube: 'kubernetes',
  db: 'database',
  postgres: 'postgresql database',
  postgresql: 'postgres database',
  mysql: 'database',
  cert: 'certificate tls',
  certs: 'certificate tls',
  certificate: 'cert tls',
  ssl: 'tls certificate',
  x509: 'certificate tls',
  pvc: 'persistent volume claim',
  lb: 'load balancer',
  hpa: 'autoscaler',
  autoscaling: 'autoscaler',
  crashloop: 'crash loop restart',
  crashloopbackoff: 'crash loop back off restart',
  imagepullbackoff: 'image pull back off registry',
  errimagepull: 'image pull error registry',
  nxdomain: 'dns resolve name',
  econnrefused: 'connection refused',
  etimedout: 'timeout timed out',
  enospc: 'no space left disk full',
  ratelimit: 'rate limit throttle',
  throttling: 'throttle rate limit',
  repl: 'replication',
  mq: 'message queue',
  gc: 'garbage collection',
  fs: 'filesystem',
  fd: 'file descriptors',
  cfg: 'configuration',
  config: 'configuration',
  perf: 'performance',
  ntp: 'clock time',
};

/** Returns the words that index and find memories: names are split (`KubePod` → kube pod), synonyms added. */
export function toSearchWords(text: string): string {
  const plain = text
    .slice(0, MAX_UNITS)
    .normalize('NFKC')
    .replace(/(\p{Ll}|\p{Nd})(?=\p{Lu})/gu, '$1 ')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
  const unsplit = text.slice(0, MAX_UNITS).match(/\p{L}{3,40}/gu) ?? []; // names before the split, such as `OOMKilled`
  const words = new Set([...plain.split(' '), ...unsplit.map((word) => word.toLowerCase())]);
  const synonyms = [...words].flatMap((word) => (Object.hasOwn(SYNONYMS, word) ? [SYNONYMS[word]!] : []));
  return [plain, ...synonyms].join(' ');
}
