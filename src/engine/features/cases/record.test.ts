import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow } from '../../../../test/helpers/http-api.ts';
import { insertInvestigation, secondsAfterNoon } from '../../../../test/helpers/investigation.ts';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import { insertReport } from '../../../../test/helpers/report.ts';
import { uuidv7 } from '../../../common/uuidv7.ts';
import { expectationOf, readRecordedSession, recordCase } from './record.ts';
import { insertCase, readPastCalls } from './store.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const EMPTY = { must_say: [], must_not_say: [], entities: [], causes: [] };

/** Inserts an investigation with one call, and returns a function that adds further calls. */
async function investigation(more: object = {}) {
  const made = await insertInvestigation(pool, 'disk at 91%', { ...more });
  const work = { session_id: made.session, stage_id: made.stage, execution_id: made.execution };
  const call = (row: object) =>
    insertRow(pool, 'mcp_interactions', {
      ...{ ...work, type: 'TOOL_CALL', server_name: 'host', tool_name: 'disk', duration_ms: 3 },
      ...{ arguments: '{"path":"/var"}', result: '{"content":"full","isError":false}', ...row },
    });
  return { ...made, call };
}

const recorded = async (session: string) => {
  const found = (await readRecordedSession(pool, session))!;
  return recordCase(pool, found, { name: 'disk', expect: expectationOf(found), runbook: null });
};

test('records the calls of the investigation with their results, and no others', async () => {
  const { session, answer, call } = await investigation();
  await call({});
  await call({ tool_name: 'logs', arguments: '"lines=5"', result: '{"content":"no unit","isError":true}' });
  for (const row of [{ server_name: 'tarsy' }, { server_name: '' }, { tool_name: '' }, { result: null }])
    await call(row);
  await call({ stage_id: answer }); // a call for the answer to a question
  const document = await recorded(session);
  expect(document).toMatchObject({ world: 'open', recorded_at: secondsAfterNoon(1).toISOString() });
  expect(document.calls).toMatchObject([
    { agent: 'HostAgent', tool: 'disk', arguments: { path: '/' }, error: false, output: '' },
    { tool: 'disk', arguments: { path: '/var' }, error: false, duration_ms: 3, output: 'full' },
    { tool: 'logs', arguments: { lines: 5 }, error: true, output: 'no unit' },
  ]);
});

test('records each tool once, as it was offered last, and tools that were called without being offered', async () => {
  const { session, call } = await investigation();
  const offer = (server_name: string, ...tools: object[]) =>
    call({ type: 'TOOL_LIST', server_name, tool_name: null, available_tools: JSON.stringify(tools) });
  await offer('host', { name: 'host.disk', description: 'Old' });
  await offer('host', { name: 'host.disk', description: 'x'.repeat(5_001), annotations: { readOnly: true } });
  await offer('tarsy', { name: 'tarsy.recall', description: 'Own' });
  await call({ tool_name: 'logs' });
  const { tools } = await recorded(session);
  expect(tools).toEqual([
    {
      ...{ server: 'host', name: 'disk', description: 'x'.repeat(5_000), input_schema: { type: 'object' } },
      annotations: { read_only: true },
    },
    { server: 'host', name: 'logs', description: '', input_schema: { type: 'object' } },
  ]);
});

test('expects the report of an accurate review, and records no deleted session', async () => {
  const { session } = await investigation();
  const report = { verdict: 'NO_ACTION', headline: 'Fine.', confidence: 0.9, entities: ['db-1'], claims: [] };
  await insertReport(pool, session, report);
  const rated = async (rating: string | null) => {
    await pool.query('update alert_sessions set rating = $2 where id = $1', [session, rating]);
    return expectationOf((await readRecordedSession(pool, session))!);
  };
  expect(await rated('ACCURATE')).toEqual({ ...EMPTY, verdict: 'NO_ACTION', entities: ['db-1'] });
  for (const rating of [null, 'PARTIALLY_ACCURATE', 'INACCURATE']) expect(await rated(rating)).toEqual(EMPTY);
  await pool.query('update alert_sessions set deleted_at = now() where id = $1', [session]);
  expect(await readRecordedSession(pool, session)).toBeNull();
});

test('stores an equal case of the same team and session once', async () => {
  const { session } = await investigation();
  const document = await recorded(session);
  const store = async (team: string | null, sourceSessionId: string | null) =>
    (await insertCase(pool, { id: uuidv7(), team, sourceSessionId, createdBy: 'ana', document })).id;
  const ids = [await store('red', session), await store('blue', session), await store(null, null)];
  expect(new Set(ids).size).toBe(3);
  expect([await store('red', session), await store('blue', session), await store(null, null)]).toEqual(ids);
});

test('a resumed replay counts only the calls that its recording answered', async () => {
  const { session, execution, call } = await investigation();
  await call({ tool_name: 'logs', result: '{"content":"x","isError":false,"recorded":"EXACT"}' });
  expect(await readPastCalls(pool, { sessionId: session, executionId: execution })).toEqual([
    { server: 'host', tool: 'logs', arguments: { path: '/var' } },
  ]);
});
