import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { toSearchWords } from '../../src/engine/features/memory/recall.ts';

interface Remembered {
  content: string;
  team?: string;
  confidence?: number;
  daysAgo?: number;
  deprecated?: boolean;
}

/** Stores memories as a review does. @returns their ids */
export async function rememberAll(pool: Pool, memories: readonly Remembered[]): Promise<string[]> {
  const rows = memories.map((memory) => ({
    id: uuidv7(),
    confidence: 0.75,
    ...memory,
    words: toSearchWords(memory.content),
  }));
  await pool.query(
    `insert into memories (id, content, category, alert_type, team, confidence, deprecated, updated_at, document)
     select id, content, 'EPISODIC', 'kubernetes', team, confidence, coalesce(deprecated, false),
       now() - make_interval(days => coalesce("daysAgo", 0)), to_tsvector('english', words)
     from json_to_recordset($1) as r (id uuid, content text, team text, confidence float8, deprecated boolean, "daysAgo" int, words text)`,
    [JSON.stringify(rows)],
  );
  return rows.map(({ id }) => id);
}
