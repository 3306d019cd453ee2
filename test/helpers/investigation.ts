import type { Pool } from 'pg';
import { insertRow, insertSession } from './http-api.ts';

/** The moment `second` seconds after noon of a fixed day. */
export const secondsAfterNoon = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second));

/** Inserts a finished session with one stage, one agent, its conversation and its interactions. */
export async function insertInvestigation(
  pool: Pool,
  alertData = 'disk at 91%',
  more: Record<string, unknown> = {},
) {
  const session = await insertSession(pool, {
    status: 'COMPLETED',
    alert_data: alertData,
    created_at: secondsAfterNoon(0),
    started_at: secondsAfterNoon(1),
    completed_at: secondsAfterNoon(4),
    total_tokens: 4_000_000_000,
    mcp_selection: JSON.stringify({ servers: [{ name: 'host', tools: null }], nativeTools: null }),
    ...more,
  });
  const owner = { session_id: session };
  const stage = await insertRow(pool, 'stages', {
    ...owner,
    name: 'look',
    index: 1,
    type: 'INVESTIGATION',
  });
  const synthesis = await insertRow(pool, 'stages', {
    ...owner,
    name: 'sum up',
    index: 2,
    type: 'SYNTHESIS',
    referenced_stage_id: stage,
  });
  await pool.query('update alert_sessions set current_stage_id = $1 where id = $2', [synthesis, session]);
  const execution = await insertRow(pool, 'agent_executions', {
    ...owner,
    stage_id: stage,
    agent_name: 'HostAgent',
    agent_index: 1,
    iteration_strategy: 'LANGCHAIN',
  });
  const work = { ...owner, stage_id: stage, execution_id: execution };
  const roles = ['SYSTEM', 'USER', 'ASSISTANT', 'TOOL', 'ASSISTANT'];
  const messages: string[] = [];
  for (const [index, role] of roles.entries()) {
    messages.push(
      await insertRow(pool, 'messages', {
        ...work,
        sequence_number: index + 1,
        role,
        content: `m${index + 1}`,
        tool_calls: index === 2 ? JSON.stringify([{ id: 'c1', name: 'host__disk', arguments: '{}' }]) : null,
        tool_call_id: role === 'TOOL' ? 'c1' : null,
      }),
    );
  }
  const thought = await insertRow(pool, 'timeline_events', {
    ...work,
    sequence_number: 1,
    type: 'LLM_THINKING',
    status: 'COMPLETED',
    content: 'hm',
    metadata: JSON.stringify({ iteration: 1 }),
  });
  await insertRow(pool, 'timeline_events', {
    ...owner,
    sequence_number: 2,
    type: 'FINAL_ANALYSIS',
    status: 'COMPLETED',
    content: 'full',
  });
  const call = {
    provider: 'p',
    model_name: 'm',
    duration_ms: 12,
    request: '{"model":"m"}',
    response: '{"text":"x"}',
  };
  const llm = await insertRow(pool, 'llm_interactions', {
    ...work,
    ...call,
    type: 'ITERATION',
    iteration: 1,
    last_message_sequence: 3,
    thinking: 'hm',
  });
  const summary = await insertRow(pool, 'llm_interactions', {
    ...owner,
    ...call,
    type: 'EXECUTIVE_SUMMARY',
    request: JSON.stringify({ messages: [{ role: 'user', content: 'sum up' }] }),
  });
  const mcp = await insertRow(pool, 'mcp_interactions', {
    ...work,
    type: 'TOOL_CALL',
    server_name: 'host',
    tool_name: 'disk',
    arguments: '{"path":"/"}',
    result: '{"used":"91%"}',
    duration_ms: 3,
  });
  const chat = await insertRow(pool, 'chats', { ...owner, created_by: 'ana' });
  const question = await insertRow(pool, 'chat_user_messages', {
    chat_id: chat,
    author: 'ana',
    content: 'why?',
  });
  const answer = await insertRow(pool, 'stages', {
    ...owner,
    name: 'chat',
    index: 3,
    type: 'CHAT',
    chat_message_id: question,
  });
  return {
    session,
    stage,
    synthesis,
    execution,
    messages,
    thought,
    llm,
    summary,
    mcp,
    chat,
    question,
    answer,
  };
}
