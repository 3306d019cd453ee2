import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadText } from '../../../../test/fixtures/config/load-text.ts';
import { insertRow, insertSession } from '../../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import { insertReport } from '../../../../test/helpers/report.ts';
import { CASE_FORMAT, type CaseDocument } from '../../../cases/document.ts';
import { uuidv7 } from '../../../common/uuidv7.ts';
import type { Masking } from '../../../masking/masking.ts';
import type { Observer } from '../../api/observer.ts';
import { openReplay } from './open-replay.ts';
import { createReplayingTools } from './replaying-tools.ts';
import { readCheckedReplays } from './results.ts';
import { insertCase } from './store.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const DOCUMENT: CaseDocument = {
  ...{ format: CASE_FORMAT, name: 'disk', world: 'closed', alert_type: 'host', alert: 'disk at 91%' },
  ...{ recorded_at: '2026-01-02T03:04:05.000Z', max_unrecorded_calls: 5 },
  expect: { must_say: [], must_not_say: [], entities: [], causes: [] },
  tools: [{ server: 'host', name: 'disk', description: 'Shows a disk', input_schema: inputSchema }],
  calls: [
    {
      ...{ agent: 'A', server: 'host', tool: 'disk', arguments: { path: '***' } },
      ...{ error: false, duration_ms: 1, output: 'full' },
    },
  ],
};
const masking = {
  maskArguments: (_: string, text: string) => text.replace('plum', '***'),
} as unknown as Masking;

/** Stores a replay of the case, made from a session. @returns the ids of the replay and its session */
async function replay(row: object, sourceSessionId: string | null = null) {
  const { id: caseId } = await insertCase(pool, {
    ...{ id: uuidv7(), team: null, sourceSessionId, createdBy: 'ana', document: DOCUMENT },
  });
  const session = await insertSession(pool, { ...row });
  const by = { provider: 'p', model: 'm', config_hash: 'h', created_by: 'ana' };
  return { session, id: await insertRow(pool, 'replays', { case_id: caseId, session_id: session, ...by }) };
}

const REPORT = { verdict: 'NO_ACTION', headline: 'Fine.', confidence: 0.9, entities: [], claims: [] };

test('answers calls with masked arguments from the recording, and refuses invalid ones', async () => {
  const logged: string[] = [];
  const logger = pino({}, { write: (line: string) => void logged.push(line) });
  const deps = { db: pool, sessionId: uuidv7(), config: { mcpServers: {} }, masking, logger };
  const selection = { servers: [{ name: 'host', tools: ['disk', 'of another day'] }] };
  const tools = await createReplayingTools({ ...deps, document: DOCUMENT }, selection);
  const call = (args: object) =>
    tools.execute(
      { id: 'call', name: 'host.disk', arguments: JSON.stringify(args) },
      { signal: new AbortController().signal, timeoutMs: 1_000 },
    );
  expect(await call({ path: 'plum' })).toMatchObject({ content: 'full', isError: false, recorded: 'EXACT' });
  const invalid = await call({});
  expect(invalid).toMatchObject({ isError: true, content: expect.stringContaining('it was not called') });
  expect(invalid.recorded).toBeUndefined();
  expect((await tools.listTools()).map(({ name }) => name)).toEqual(['host.disk']);
  expect(logged).toEqual([]); // a tool that the recording lacks is no mistake of the configuration
  const open = await createReplayingTools({ ...deps, document: { ...DOCUMENT, world: 'open' } }, selection);
  expect(await open.listTools()).toEqual([]);
});

test('runs at the time of the recording, and does not count among investigations', async () => {
  const { session } = await replay({ status: 'IN_PROGRESS' });
  let counted = 0;
  const observer = { metrics: { sessionBegan: () => (counted += 1) } } as unknown as Observer;
  const config = await loadText('');
  const logger = pino({ level: 'silent' });
  const opened = await openReplay({ db: pool, config, masking, observer, logger }, { id: session });
  expect(opened!.now.toISOString()).toBe(DOCUMENT.recorded_at);
  (opened!.services.observer.metrics.sessionBegan as () => void)();
  expect(counted).toBe(0);
});

test('a replay that timed out has failed, and its cost and its source may be unknown', async () => {
  const source = await insertSession(pool);
  await insertReport(pool, source, REPORT);
  const timedOut = await replay({ status: 'TIMED_OUT', cost_usd: 2, unpriced_calls: 1 }, source);
  const priced = await replay({ status: 'COMPLETED', cost_usd: 2, unpriced_calls: 0 }, source);
  const read = () => readCheckedReplays(pool, [timedOut.id, priced.id]);
  const found = new Map((await read()).map((one) => [one.id, one]));
  expect(found.get(timedOut.id)).toMatchObject({ status: 'FAILED', costUsd: null, sourceClaims: [] });
  expect(found.get(priced.id)).toMatchObject({ status: 'COMPLETED', costUsd: 2 });
  await pool.query('update alert_sessions set deleted_at = now() where id = $1', [source]);
  for (const { sourceClaims } of await read()) expect(sourceClaims).toBeNull();
});
