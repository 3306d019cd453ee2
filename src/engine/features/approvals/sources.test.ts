import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow } from '../../../../test/helpers/http-api.ts';
import { insertInvestigation } from '../../../../test/helpers/investigation.ts';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import type { AgentContext } from '../../run-context/types.ts';
import { readSources } from './provenance.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

test('values come from people, the alert, the runbook and results of tools, but not from errors', async () => {
  const { session, stage, execution } = await insertInvestigation(pool);
  const work = { session_id: session, stage_id: stage, execution_id: execution };
  await insertRow(pool, 'timeline_events', {
    ...{ ...work, execution_id: null, stage_id: null, sequence_number: 50 },
    ...{ type: 'HINT', status: 'COMPLETED', content: 'a hint' },
  });
  const call = async (at: number, tool: string, isError: boolean, server = 'host') => {
    const tool_call_id = `call-${at}`;
    await insertRow(pool, 'timeline_events', {
      ...{ ...work, sequence_number: at, type: 'LLM_TOOL_CALL', status: 'COMPLETED', content: 'x' },
      metadata: JSON.stringify({ tool_call_id }),
    });
    await insertRow(pool, 'mcp_interactions', {
      ...{ ...work, type: 'TOOL_CALL', server_name: server, tool_name: tool, tool_call_id, duration_ms: 1 },
      result: JSON.stringify({ content: `${tool} says`, isError }),
    });
  };
  await call(60, 'disk', false);
  await call(61, 'disk', true);
  await call(62, 'read_mail', false);
  await call(63, 'read_mail', true);
  await call(64, 'recall', false, 'tarsy');
  const { texts, isAll } = await readSources({
    ...{ db: pool, session: { id: session, alertData: 'the alert' }, alert: { runbook: 'the runbook' } },
    config: { mcpServers: { host: { untrustedTools: ['read_*'] } } },
  } as unknown as AgentContext);
  expect(isAll).toBe(true);
  expect(
    texts.map(({ origin, number, text, isUntrusted }) =>
      [origin, number, text.trim(), isUntrusted ? 'untrusted' : null].filter(Boolean).join(' '),
    ),
  ).toEqual([
    ...['PERSON why?', 'PERSON a hint', 'RUNBOOK the runbook', 'ALERT the alert'],
    ...['TOOL_OUTPUT 63 read_mail says untrusted', 'TOOL_OUTPUT 62 read_mail says untrusted'],
    'TOOL_OUTPUT 60 disk says',
  ]);
});
