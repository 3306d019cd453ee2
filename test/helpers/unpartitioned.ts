import pg from 'pg';
import { uuidv7 } from '../../src/common/uuidv7.ts';
import { openMigrator } from '../../src/db/migrator.ts';

/** Empties a database and migrates it as the version did that had no partitions. */
export async function makeUnpartitioned(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('drop schema public cascade; create schema public');
  await client.end();
  const orm = await openMigrator(url);
  await orm.migrator.up();
  await orm.close(true);
}

/** Returns the id of a session that is created at `at`. */
export function idAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`;
}

/** Writes and reads the rows of a session as a process of the version without partitions. Throws what such a process gets. */
export interface OlderProcess {
  /** Adds a session with rows in each table. @returns its id */
  addSession(id?: string): Promise<string>;
  /** Adds one row to each table of a session, changes one and reads them. */
  write(sessionId: string): Promise<void>;
  /** Deletes the rows of a session as the retention of that version does. */
  removeRows(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

const LOCKED = `with locked as (select s.id, s.last_event_seq, s.last_timeline_sequence from alert_sessions s
  where s.id = $1 and (s.attempt = 1) for no key update)`;
const NUMBERED = `written as (update alert_sessions s set last_event_seq = l.last_event_seq + (select count(*) from item c),
    last_timeline_sequence = l.last_timeline_sequence + 1 from locked l where s.id = l.id returning 1),
  logged as (insert into session_events (session_id, seq, type, payload)
    select l.id, l.last_event_seq + 1, 'TimelineEventCreated', c.payload from locked l, item c returning seq, type, payload)
  select g.type from locked l left join logged g on true order by g.seq`;

/** Statements that the version sent, shortened where the tables do not matter. Prepared once for each connection. */
const STATEMENTS = {
  add: `${LOCKED}, item as (insert into timeline_events as t (session_id, id, stage_id, execution_id, type, status, content, metadata, sequence_number)
      select l.id, r.id, r.stage_id, r.execution_id, r.type, r.status, r.content, r.metadata, l.last_timeline_sequence + 1
      from locked l, json_to_recordset($2::json) as r (id uuid, stage_id uuid, execution_id uuid, type text, status text, content text, metadata jsonb)
      returning to_jsonb(t) as payload, t.sequence_number as sort_key), ${NUMBERED}`,
  end: `${LOCKED} update timeline_events t set status = r.status, content = r.content, type = coalesce(r.type, t.type), updated_at = now()
    from locked l, json_to_recordset($2::json) as r (id uuid, type text, status text, content text)
    where t.id = r.id and t.session_id = l.id and t.status = 'STREAMING'`,
  message: `${LOCKED} insert into messages as t (session_id, id, stage_id, execution_id, sequence_number, role, content)
    select l.id, r.id, r.stage_id, r.execution_id, r.sequence_number, 'USER', 'text' from locked l,
      json_to_recordset($2::json) as r (id uuid, stage_id uuid, execution_id uuid, sequence_number int)`,
  llm: `insert into llm_interactions (id, session_id, execution_id, type, provider, model_name, request, response, duration_ms)
    values ($2, $1, $3, 'ITERATION', 'p', 'm', '{}', '{}', 1)`,
  mcp: `insert into mcp_interactions (id, session_id, stage_id, execution_id, type, server_name, duration_ms)
    values ($2, $1, $3, $3, 'TOOL_CALL', 's', 1)`,
  text: 'select content from timeline_events where id = $1',
  conversation: 'select to_jsonb(m) as row from messages m where execution_id = $1 order by sequence_number',
  calls: `select 1 from mcp_interactions m where m.execution_id = $1 and m.type = 'TOOL_CALL'`,
};

export async function openOlderProcess(url: string): Promise<OlderProcess> {
  const client = new pg.Client({ connectionString: url, options: '-c plan_cache_mode=force_generic_plan' });
  await client.connect();
  const run = (name: keyof typeof STATEMENTS, ...values: unknown[]) =>
    client.query({ name, text: STATEMENTS[name], values });
  const write = async (sessionId: string) => {
    const [id, execution] = [uuidv7(), uuidv7()];
    const item = { id, stage_id: execution, execution_id: execution, type: 'LLM_RESPONSE' };
    await run('add', sessionId, JSON.stringify([{ ...item, status: 'STREAMING', content: '' }]));
    const ended = await run(
      'end',
      sessionId,
      JSON.stringify([{ id, status: 'COMPLETED', content: 'ended' }]),
    );
    await run('message', sessionId, JSON.stringify([{ ...item, id: uuidv7(), sequence_number: 1 }]));
    await run('llm', sessionId, uuidv7(), execution);
    await run('mcp', sessionId, uuidv7(), execution);
    const [text] = (await run('text', id)).rows as { content: string }[];
    const counts = [await run('conversation', execution), await run('calls', execution), ended];
    if (text?.content !== 'ended' || counts.some(({ rowCount }) => rowCount !== 1))
      throw new Error(
        `a written row is missing: ${text?.content}, ${counts.map(({ rowCount }) => rowCount)}`,
      );
  };
  return {
    write,
    async addSession(id = uuidv7()) {
      await client.query(
        `insert into alert_sessions (id, alert_type, alert_data, chain_id, author, status, attempt) values ($1, 'a', 'b', 'c', 'd', 'IN_PROGRESS', 1)`,
        [id],
      );
      await write(id);
      return id;
    },
    async removeRows(sessionId) {
      for (const table of [
        'session_events',
        'llm_interactions',
        'mcp_interactions',
        'messages',
        'timeline_events',
      ])
        await client.query(
          `delete from ${table} where ctid = any(array(
             select ctid from ${table} where session_id = $1 limit 1000 for update skip locked))`,
          [sessionId],
        );
    },
    close: () => client.end(),
  };
}
