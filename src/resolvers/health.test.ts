import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, insertRow, openApi } from '../../test/helpers/http-api.ts';
import { insertInvestigation } from '../../test/helpers/investigation.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

type Investigation = Awaited<ReturnType<typeof insertInvestigation>>;

async function healthOf({ session }: Investigation) {
  const { data, errors } = await api.query<{ session: { health: Record<string, unknown> } }>(
    `query ($id: ID!) { session(id: $id) { health { whole toolCalls failedToolCalls withheldTools resumed shortenedOutputs
       missingServers { name } } } }`,
    { id: session },
  );
  expect(errors).toBeUndefined();
  return data.session.health;
}

const WHOLE = {
  ...{ whole: true, toolCalls: 1, failedToolCalls: 0, withheldTools: 0, resumed: 0, shortenedOutputs: 0 },
  missingServers: [],
};

/** Inserts an MCP interaction with the server `host`. */
function exchange({ session, execution }: Investigation, stage: string, more: Record<string, unknown>) {
  return insertRow(api.pool, 'mcp_interactions', {
    ...{ session_id: session, stage_id: stage, execution_id: execution, server_name: 'host', duration_ms: 1 },
    ...more,
  });
}

it('does not count the work on answers to questions', async () => {
  const made = await insertInvestigation(api.pool);
  expect(await healthOf(made)).toEqual(WHOLE);
  const failed = { type: 'TOOL_CALL', tool_name: 'disk', error_message: 'no' };
  await exchange(made, made.answer, failed);
  await exchange(made, made.answer, { type: 'TOOL_LIST', error_message: 'refused' });
  expect(await healthOf(made)).toEqual(WHOLE);
  await exchange(made, made.stage, failed);
  expect(await healthOf(made)).toEqual({ ...WHOLE, whole: false, toolCalls: 2, failedToolCalls: 1 });
});

it('counts calls and failures of sub-agents, but not the calls that started them', async () => {
  const made = await insertInvestigation(api.pool);
  const execution = await insertRow(api.pool, 'agent_executions', {
    ...{ session_id: made.session, stage_id: made.stage, parent_execution_id: made.execution },
    ...{ agent_name: 'LogAgent', agent_index: 2, iteration_strategy: 'LANGCHAIN' },
  });
  const below = { ...made, execution };
  await exchange(below, made.stage, { type: 'TOOL_CALL', tool_name: 'logs', error_message: 'no' });
  await exchange(below, made.stage, { type: 'TOOL_LIST', error_message: 'refused' });
  const own = { type: 'TOOL_CALL', server_name: 'tarsy', tool_name: 'dispatch_agent', error_message: 'late' };
  await exchange(made, made.stage, own);
  expect(await healthOf(made)).toEqual({
    ...{ ...WHOLE, whole: false, toolCalls: 2, failedToolCalls: 1, missingServers: [{ name: 'host' }] },
  });
});

it('counts withheld tools once, and does not report a server that became available again', async () => {
  const made = await insertInvestigation(api.pool);
  const leftOut = [
    { name: 'reboot', reason: 'changes' },
    { name: 'wipe', reason: 'changes' },
  ];
  await exchange(made, made.stage, { type: 'TOOL_LIST', error_message: 'refused', created_at: new Date(0) });
  const listed = { type: 'TOOL_LIST', result: JSON.stringify({ leftOut }) };
  for (const minute of [1, 2])
    await exchange(made, made.stage, { ...listed, created_at: new Date(minute * 60_000) });
  expect(await healthOf(made)).toEqual({ ...WHOLE, withheldTools: 2 });
});

it('counts each summarized, partial or evicted result once, and provider fallbacks', async () => {
  const made = await insertInvestigation(api.pool);
  const event = (sequence: number, type: string, content: string, metadata: unknown = null) =>
    insertRow(api.pool, 'timeline_events', {
      ...{ session_id: made.session, stage_id: made.stage, execution_id: made.execution },
      ...{ sequence_number: sequence, type, status: 'COMPLETED', content },
      metadata: JSON.stringify(metadata),
    });
  const call = (numbers: number[]) =>
    insertRow(api.pool, 'llm_interactions', {
      ...{ session_id: made.session, stage_id: made.stage, execution_id: made.execution },
      ...{ type: 'ITERATION', provider: 'p', model_name: 'm', duration_ms: 1, response: '{}' },
      request: JSON.stringify({ evicted: numbers }),
    });
  const cut = '\n[… cut: 5 of 9 characters left out]';
  await event(10, 'MCP_TOOL_SUMMARY', 'short');
  await event(11, 'LLM_TOOL_CALL', `${'x'.repeat(31_000)}${cut}`);
  await event(12, 'LLM_TOOL_CALL', 'x'.repeat(31_000));
  await event(13, 'LLM_TOOL_CALL', cut);
  await event(14, 'LLM_TOOL_CALL', 'long', { tool_call_id: 'a', shortened: true });
  await event(15, 'MCP_TOOL_SUMMARY', 'short', { tool_call_id: 'a' });
  await event(16, 'LLM_TOOL_CALL', 'evicted', { tool_call_id: 'b' });
  await event(17, 'LLM_TOOL_CALL', 'kept', { tool_call_id: 'c' });
  await call([14]);
  await call([14, 16]);
  const waiting = { status: 'WAITING_FOR_APPROVAL', attempt: 3, parked_at: '2026-11-01T00:00:00Z' };
  const running = [1, 1, 2, 3].map((attempt) => ({ status: 'IN_PROGRESS', attempt }));
  for (const [seq, status] of [
    ...running,
    waiting,
    { ...running[0], attempt: 4 },
    { ...running[0], attempt: 4 },
  ].entries())
    await api.pool.query(
      `insert into session_events (session_id, seq, type, payload) values ($1, $2, 'SessionStatusChanged', $3)`,
      [made.session, 100 + seq, status],
    );
  expect(await healthOf(made)).toEqual({ ...WHOLE, shortenedOutputs: 4, resumed: 2 });
});
