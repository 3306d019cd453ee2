import type { HypothesisRow, StoredFact } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { decodeRow } from '../live/event-log.ts';
import { insertInto, type RowChange, type RowWriter } from './event-statement.ts';

/** A hypothesis without the times that the database sets. */
export type NewHypothesis = Omit<HypothesisRow, 'sessionId' | 'createdAt' | 'updatedAt'>;

const INSERT = insertInto(
  'hypotheses',
  'id uuid, execution_id uuid, number int, text text, state text, citations jsonb, facts jsonb',
);

const HYPOTHESIS: RowWriter = {
  name: 'hypothesis',
  columns: INSERT.columns,
  sql: (rows, isSingleEvent) => `${INSERT.sql(rows, isSingleEvent)} on conflict (id) do update
    set state = excluded.state, citations = excluded.citations, facts = excluded.facts, updated_at = now()`,
  merge: (rows) => [
    ...new Map((rows as readonly NewHypothesis[]).map((row) => [row.id, row] as const)).values(),
  ],
};

/** Stores a hypothesis, or the new state and proof of a stored one. */
export const saveHypothesis = (hypothesis: NewHypothesis): RowChange => ({
  writer: HYPOTHESIS,
  row: hypothesis,
});

/** Reads the hypotheses of an agent in the order of their numbers. */
export async function readHypotheses(db: Queryable, executionId: string): Promise<NewHypothesis[]> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(
    prepared('select to_jsonb(h) as row from hypotheses h where h.execution_id = $1 order by h.number'),
    [executionId],
  );
  return rows.map(({ row }) => decodeRow<HypothesisRow>(row));
}

/** A hypothesis with the name of its agent. */
export interface AgentHypothesis extends Pick<HypothesisRow, 'text' | 'state' | 'citations'> {
  agent: string;
}

/** Reads the hypotheses of all agents of a session, oldest first. */
export async function readSessionHypotheses(db: Queryable, sessionId: string): Promise<AgentHypothesis[]> {
  const { rows } = await db.query<AgentHypothesis>(
    prepared(`select e.agent_name as agent, h.text, h.state, h.citations
     from hypotheses h join agent_executions e on e.id = h.execution_id where h.session_id = $1 order by h.id`),
    [sessionId],
  );
  return rows;
}

/** A replica of a stage. */
export interface Replica {
  /** Facts of its supported hypotheses; none if it did not complete. */
  facts: StoredFact[];
}

/** Reads the replicas of the session's last stage with replicas; none if no stage has replicas. */
export async function readReplicas(db: Queryable, sessionId: string): Promise<Replica[]> {
  const { rows } = await db.query<Replica>(
    prepared(`select coalesce((
       select jsonb_agg(f) from hypotheses h, jsonb_array_elements(h.facts) f
       where h.execution_id = e.id and h.state = 'SUPPORTED' and e.status = 'COMPLETED'), '[]') as facts
     from agent_executions e where e.parent_execution_id is null and e.stage_id = (
       select s.id from stages s where s.session_id = $1 and s.parallel_type = 'REPLICA' order by s.index desc limit 1)
     order by e.agent_index`),
    [sessionId],
  );
  return rows;
}
