import { createHash } from 'node:crypto';
import type { CaseDocument } from '../../../cases/document.ts';
import { parseCaseDocument } from '../../../cases/parse-document.ts';
import type { CaseRow, ReplayRow } from '../../../db/entities/index.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { readRows } from '../../live/event-log.ts';
import type { ExecutionKey } from '../../store/progress.ts';
import { asArguments } from './record.ts';

/** SQL condition: session `t` is no replay. Reads only the index of `replays`. */
export const NOT_A_REPLAY = 'not exists (select 1 from replays p where p.session_id = t.id)';

export interface NewCase {
  id: string;
  team: string | null;
  sourceSessionId: string | null;
  createdBy: string;
  document: CaseDocument;
}

/** Stores a case. An equal case of the same team and source is returned instead of a second one. */
export async function insertCase(tx: Queryable, added: NewCase): Promise<CaseRow> {
  const { id, team, sourceSessionId, createdBy, document } = added;
  const text = JSON.stringify(document);
  const hash = createHash('sha256').update(text).digest('hex');
  const equal = await readRows<CaseRow>(
    tx,
    `select to_jsonb(c) - 'document' as row from cases c where c.hash = $1 and c.team is not distinct from $2
       and c.source_session_id is not distinct from $3 order by c.created_at limit 1`,
    [hash, team, sourceSessionId],
  );
  if (equal[0]) return equal[0];
  const [row] = await readRows<CaseRow>(
    tx,
    `insert into cases as c (id, name, team, source_session_id, document, hash, alert_type, world, expectation,
       max_unrecorded_calls, recorded_calls, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning to_jsonb(c) - 'document' as row`,
    [
      ...[id, document.name, team, sourceSessionId, text, hash, document.alert_type],
      ...[document.world.toUpperCase(), JSON.stringify(document.expect)],
      ...[document.max_unrecorded_calls, document.calls.length, createdBy],
    ],
  );
  return row!;
}

export async function readCaseDocument(db: Queryable, caseId: string): Promise<CaseDocument | null> {
  const { rows } = await db.query<{ document: string }>(
    prepared('select document from cases where id = $1'),
    [caseId],
  );
  return rows[0] ? parseCaseDocument(rows[0].document) : null;
}

export async function insertReplay(
  tx: Queryable,
  replay: Omit<ReplayRow, 'createdAt' | 'cause'>,
): Promise<ReplayRow> {
  const [row] = await readRows<ReplayRow>(
    tx,
    `insert into replays as p (id, case_id, session_id, llm_provider, provider, model, config_hash, created_by,
       suite_id, suite_size)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning to_jsonb(p) as row`,
    [
      ...[replay.id, replay.caseId, replay.sessionId, replay.llmProvider, replay.provider],
      ...[replay.model, replay.configHash, replay.createdBy, replay.suiteId, replay.suiteSize],
    ],
  );
  return row!;
}

/** Returns the replay that a session belongs to; `null` if the session is no replay. */
export async function readReplayOf(
  db: Queryable,
  sessionId: string,
): Promise<Pick<ReplayRow, 'id' | 'caseId' | 'llmProvider' | 'cause'> | null> {
  const { rows } = await db.query<Pick<ReplayRow, 'id' | 'caseId' | 'llmProvider' | 'cause'>>(
    prepared(
      'select id, case_id as "caseId", llm_provider as "llmProvider", cause from replays where session_id = $1',
    ),
    [sessionId],
  );
  return rows[0] ?? null;
}

export async function isReplay(db: Queryable, sessionId: string): Promise<boolean> {
  return (await readReplayOf(db, sessionId)) !== null;
}

/** Returns the tool calls that an agent made before it was interrupted. */
export async function readPastCalls(
  db: Queryable,
  { sessionId, executionId }: ExecutionKey,
): Promise<{ server: string; tool: string; arguments: Record<string, unknown> }[]> {
  const { rows } = await db.query<{ server: string; tool: string; arguments: unknown }>(
    prepared(`select server_name as server, tool_name as tool, arguments from mcp_interactions
     where session_id = $1 and execution_id = $2 and type = 'TOOL_CALL' and result ->> 'recorded' is not null order by created_at, id`),
    [sessionId, executionId],
  );
  return rows.map(({ arguments: args, ...call }) => ({ ...call, arguments: asArguments(args) }));
}
