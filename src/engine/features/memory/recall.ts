import { type Visibility, visibilityParameter, visibleSql } from '../../../access/visibility.ts';
import type { MemoryRow } from '../../../db/entities/index.ts';
import type { Queryable } from '../../../db/queryable.ts';

/** What is looked for, and for whom. */
export interface RecallQuery {
  /** An alert, a question: what is like it is found. */
  text: string;
  sight: Visibility;
  limit: number;
  /** Days after which a memory weighs less by half of what age can take from it. */
  halfLifeDays: number;
}

/** A memory that was found. */
export type RecalledMemory = Pick<
  MemoryRow,
  'id' | 'content' | 'category' | 'alertType' | 'confidence' | 'seenCount' | 'createdAt' | 'updatedAt'
>;

/** Memories that are compared at most: those with a rare word, and as many again with two common ones. */
const MAX_CANDIDATES = 1000;
/** Words of the text that are looked for: the rarest. */
const MAX_WORDS = 20;
/** … and of those that are too common to be looked for by themselves: two of them together. */
const MAX_COMMON = 10;
/** … and those for which words that are written alike are looked for. */
const MAX_ALIKE = 6;
const MIN_SIMILARITY = 0.45;
/** … of which at most this many memories have one, or this share of all: a word that more have is found by itself. */
const RARE_MEMORIES = 20;
const RARE_SHARE = 0.002;
/** Of the best one's: what fits less is no help. */
const MIN_SHARE = 0.3;
/** Of reciprocal rank fusion: how little the first ranks differ. */
const K = 60;
/** Of a memory's weight, what its age leaves in any case. */
const AGELESS = 0.5;

/**
 * Memories that fit a text best: ranked by the words that they share with it, each weighed by how rare it is, and by words that
 * are written alike (trigrams); both fused by rank, weighed by confidence and age. What is deprecated is not found.
 */
export async function recall(
  db: Queryable,
  { text, sight, limit, halfLifeDays }: RecallQuery,
): Promise<RecalledMemory[]> {
  const { words, total } = await readWords(db, toSearchWords(text));
  if (total === 0) return [];
  const stored = words.filter(({ memories }) => memories > 0);
  const rarest = withinReach(stored);
  const exact = weighed(rarest, total);
  const common = weighed(commoner(stored, rarest), total);
  const alike = await readAlike(db, words, total);
  if (exact.length + common.length + alike.length === 0) return [];
  const { rows } = await db.query<RecalledMemory>(RECALL, [
    ...termsOf(exact),
    ...termsOf(alike),
    visibilityParameter(sight),
    limit,
    halfLifeDays,
    anyTwoOf(common),
    ...termsOf(common),
  ]);
  return rows;
}

interface Word {
  word: string;
  /** Memories that have it. */
  memories: number;
}

interface Term {
  word: string;
  weight: number;
}

/** The words that are looked for, with how many memories have each. */
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

/** How much it says that a memory has a word. */
function weightOf(memories: number, total: number): number {
  return Math.log(1 + (total - memories + 0.5) / (memories + 0.5));
}

function weighed(words: readonly Word[], total: number): Term[] {
  return words.map(({ word, memories }) => ({ word, weight: weightOf(memories, total) }));
}

/** The rarest of the others: too many memories have one of them, few have two. */
function commoner(words: readonly Word[], rarest: readonly Word[]): Word[] {
  return words
    .filter((word) => !rarest.includes(word))
    .toSorted((a, b) => a.memories - b.memories)
    .slice(0, MAX_COMMON);
}

/** Finds what has at least two of the words. */
function anyTwoOf(terms: readonly Term[]): string {
  const [queries] = termsOf(terms);
  return queries
    .slice(0, -1)
    .map((query, at) => `${query} & (${queries.slice(at + 1).join(' | ')})`)
    .join(' | ');
}

/** The rarest ones, as long as all memories that have one can be compared; an only one in any case. */
function withinReach<W extends Word>(words: readonly W[]): W[] {
  const sorted = words.toSorted((a, b) => a.memories - b.memories).slice(0, MAX_WORDS);
  let reach = 0;
  return sorted.filter(({ memories }) => {
    reach += memories;
    return sorted.length === 1 || reach <= MAX_CANDIDATES;
  });
}

/** Words of memories that are written like those that are looked for: other forms, parts of them, typing errors. */
async function readAlike(db: Queryable, words: readonly Word[], total: number): Promise<Term[]> {
  const mostMemories = Math.max(RARE_MEMORIES, total * RARE_SHARE);
  const asked = words
    .filter(({ word, memories }) => memories <= mostMemories && /^\p{L}{4,}$/u.test(word))
    .toSorted((a, b) => a.memories - b.memories)
    .slice(0, MAX_ALIKE);
  if (asked.length === 0) return [];
  const { rows } = await db.query<Word & { similarity: number }>(
    `select w.word, w.memories, w.similarity from unnest($1::text[]) q(word) cross join lateral (
       select word, memories, similarity(word, q.word) as similarity from memory_words
       where word % q.word and memories > 0 order by similarity desc, word limit 4) w
     where w.similarity >= $2`,
    [asked.map(({ word }) => word), MIN_SIMILARITY],
  );
  const best = new Map<string, Term & Word>();
  for (const { word, memories, similarity } of rows) {
    const weight = weightOf(memories, total) * similarity;
    if ((best.get(word)?.weight ?? 0) < weight) best.set(word, { word, memories, weight });
  }
  return withinReach([...best.values()]);
}

/** As parameters: what finds each, and their weights. */
function termsOf(terms: readonly Term[]): [queries: string[], weights: number[]] {
  const quoted = ({ word }: Term) => `'${word.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return [terms.map(quoted), terms.map(({ weight }) => weight)];
}

/** Rows that a query finds. The limit is taken of what the index found: for its sake all rows would be read instead. */
const found = (query: string) => `
  (with found as materialized (
    select id, length(document) as size, document from memories
    where document @@ ${query} and not deprecated and ${visibleSql('team', '$5')}
  ) select * from found limit ${MAX_CANDIDATES}) m`;

/** Rows that have some words, with the weight of each; each word is looked up by itself, which reads no row that has none. */
const having = (first: number) => `
  select m.id, m.size, t.weight
  from unnest($${first}::tsquery[], $${first + 1}::float8[]) t(query, weight) cross join lateral ${found('t.query')}`;

/** … that have two of those that are too common for that. */
const HAVING_TWO = `
  select m.id, m.size, t.weight from ${found('$8::tsquery')}
  join unnest($9::tsquery[], $10::float8[]) t(query, weight) on m.document @@ t.query`;

/** Ranked by the sum of the weights of the words that they have; long ones have more by chance. */
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

/** UTF-16 code units of a text in which words are looked for: an alert may be a MiB. */
const MAX_UNITS = 12_000;

/** What engineers write short, and what the same is called elsewhere: whoever looks for one finds the other. */
const MEANINGS: Readonly<Record<string, string>> = {
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

/**
 * Text as memories are indexed and looked for: names split into their words (`KubePodCrashLooping` → kube pod crash looping),
 * short forms written out, nothing but words and figures.
 */
export function toSearchWords(text: string): string {
  const plain = text
    .slice(0, MAX_UNITS)
    .normalize('NFKC')
    .replace(/(\p{Ll}|\p{Nd})(?=\p{Lu})/gu, '$1 ')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
  const words = new Set([...plain.split(' '), ...joined(text)]);
  const meant = [...words].flatMap((word) => (Object.hasOwn(MEANINGS, word) ? [MEANINGS[word]!] : []));
  return [plain, ...meant].join(' ');
}

/** Names as one word, in whatever case their parts are: `OOMKilled`, `CrashLoopBackOff`. */
function joined(text: string): string[] {
  return (text.slice(0, MAX_UNITS).match(/\p{L}{3,40}/gu) ?? []).map((word) => word.toLowerCase());
}
