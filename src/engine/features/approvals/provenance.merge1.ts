import { matchesPattern } from '../../../config/tool-policy.ts';
import type { AgentContext } from '../../run-context/types.ts';
import type { Source } from './provenance.ts';

/** Results that are looked through, the newest first. */
const MAX_OUTPUTS = 300;

export interface Sources {
  texts: Source[];
  /** There are no more. */
  isAll: boolean;
}

/** The texts in which a value of a call may stand, as they are stored. */
export async function readSources({ db, session, runbook, config }: AgentContext): Promise<Sources> {
  const isUntrusted = (server: string, tool: string) =>
    config.mcpServers[server]?.untrustedTools.some((pattern) => matchesPattern(tool, pattern)) ?? false;
  const outputs = await db.query<{ number: number; server: string; tool: string; text: string }>(
    `select t.sequence_number as number, m.server_name as server, coalesce(m.tool_name, '') as tool,
       coalesce(m.result->>'content', '') as text
     from mcp_interactions m join timeline_events t on t.execution_id = m.execution_id
       and t.type = 'LLM_TOOL_CALL' and t.metadata->>'tool_call_id' = m.tool_call_id
     where m.session_id = $1 and m.type = 'TOOL_CALL' order by t.sequence_number desc limit ${MAX_OUTPUTS + 1}`,
    [session.id],
  );
  const questions = await db.query<{ content: string }>(
    'select q.content from chat_user_messages q join chats c on c.id = q.chat_id where c.session_id = $1',
    [session.id],
  );
  const said = { number: null, isUntrusted: false };
  const texts: Source[] = [
    ...questions.rows.map(({ content }): Source => ({ ...said, origin: 'PERSON', text: content })),
    { ...said, origin: 'RUNBOOK', text: runbook.content ?? '' },
    { ...said, origin: 'ALERT', text: session.alertData },
    ...outputs.rows.slice(0, MAX_OUTPUTS).map(
      ({ number, server, tool, text }): Source => ({
        origin: 'TOOL_OUTPUT',
        number,
        text,
        isUntrusted: isUntrusted(server, tool),
      }),
    ),
  ];
  return { texts, isAll: outputs.rows.length <= MAX_OUTPUTS };
}
