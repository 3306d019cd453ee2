import type { Queryable } from '../../../db/queryable.ts';
import type { ToolOutput } from '../report/verify/types.ts';

/** Our own tools tell what is remembered and what there is, and prove nothing. */
export const OWN_SERVER = 'tarsy';

interface Row {
  number: number;
  server: string | null;
  tool: string | null;
  arguments: unknown;
  text: string | null;
  failed: boolean | null;
}

/**
 * The tool calls of a session that have these numbers, each with the whole of its result as it is stored. A call whose result was
 * never stored is there as one that failed.
 * @param isUntrusted whether the operator marked a tool as one whose results strangers write
 */
export async function readOutputs(
  db: Queryable,
  sessionId: string,
  numbers: readonly number[],
  isUntrusted: (server: string, tool: string) => boolean = () => false,
): Promise<ToolOutput[]> {
  const { rows } = await db.query<Row>(
    `select t.sequence_number as number, coalesce(m.server_name, t.metadata->>'server_name') as server,
       coalesce(m.tool_name, t.metadata->>'tool_name') as tool, m.arguments, m.result->>'content' as text,
       (m.result->>'isError')::boolean as failed
     from timeline_events t left join lateral (
       select * from mcp_interactions m where m.execution_id = t.execution_id and m.type = 'TOOL_CALL'
         and m.tool_call_id = t.metadata->>'tool_call_id' order by m.id desc limit 1) m on true
     where t.session_id = $1 and t.type = 'LLM_TOOL_CALL' and t.sequence_number = any($2)
     order by t.sequence_number`,
    [sessionId, numbers],
  );
  return rows.map(({ number, server, tool, arguments: args, text, failed }) => ({
    number,
    server: server ?? '',
    tool: tool ?? '',
    arguments: args,
    text: text ?? '',
    succeeded: failed === false && server !== OWN_SERVER,
    notFound: failed === true && server !== OWN_SERVER && saysNotFound(text ?? ''),
    untrusted: isUntrusted(server ?? '', tool ?? ''),
  }));
}

/** Failures by which tools answer, in the terms of their API, that what was asked for does not exist. */
const NOT_FOUND = /\(NotFound\)|"reason" ?: ?"NotFound"|\bNXDOMAIN\b|\bENOENT\b|\b404 Not Found\b/;

/** UTF-16 code units of a failure in which its reason stands. */
const REASON_UNITS = 2000;

function saysNotFound(text: string): boolean {
  return NOT_FOUND.test(text.slice(0, REASON_UNITS));
}
