import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { chainYaml } from '../../../test/fixtures/config/chain-yaml.ts';
import { loadText } from '../../../test/fixtures/config/load-text.ts';
import { insertRow } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { beginRun } from '../../../test/helpers/run-log.ts';
import { createLlmBench } from '../../../test/helpers/scripted-llm/client.ts';
import { type ScriptedResponse, toolCall } from '../../../test/helpers/scripted-llm/index.ts';
import type { SessionRun } from '../run-context/types.ts';
import { chooseCause } from './choose-cause.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const { startService, connect, release } = createLlmBench();
afterEach(release);

const CAUSES = ['The disk is full.', 'A pod was moved.'];
const submit = (cause: string): ScriptedResponse => toolCall('submit_cause', { cause });

/** Chooses the cause of a replay. Returns the stored cause, and the number of model calls. */
async function chosen(
  replay: { causes?: string[]; cause?: string | null },
  ...responses: ScriptedResponse[]
): Promise<[cause: string | null, calls: number]> {
  const config = await loadText(chainYaml({ defaults: 'llm_provider: openai-default' }));
  const llm = await startService();
  llm.script(...responses);
  const { fence } = await beginRun(pool);
  const caseId = await insertRow(pool, 'cases', {
    ...{ name: 'n', document: '""', hash: 'h', alert_type: 't', world: 'OPEN', max_unrecorded_calls: 5 },
    ...{ recorded_calls: 0, created_by: 'me', expectation: '{}' },
  });
  const { causes = CAUSES, cause = null } = replay;
  await insertRow(pool, 'replays', {
    ...{ case_id: caseId, session_id: fence.sessionId, provider: 'p', model: 'm', config_hash: 'h' },
    ...{ created_by: 'me', cause },
  });
  const run = {
    ...{ db: pool, fence, config, chain: config.chains.c, client: connect(llm.address) },
    ...{ replay: { causes, cause }, session: { id: fence.sessionId, alertData: 'disk at 91%' } },
    ...{ signal: new AbortController().signal, logger: pino({ level: 'silent' }) },
  } as unknown as SessionRun;
  await chooseCause(run, 'The disk has no room left.');
  const { rows } = await pool.query('select cause from replays where session_id = $1', [fence.sessionId]);
  return [rows[0].cause, llm.requests.length];
}

test('stores the cause that the model chooses from the list, and no other', async () => {
  expect(await chosen({}, submit(' The disk is full.\n'))).toEqual([CAUSES[0], 1]);
  expect(await chosen({}, submit('The moon.'))).toEqual([null, 1]);
  expect(await chosen({}, { text: 'I do not know.' })).toEqual([null, 1]);
  expect(await chosen({}, { error: { code: 'invalid_api_key' } })).toEqual([null, 1]);
});

test('asks no model if the cause is stored already, or without a list', async () => {
  expect(await chosen({ cause: CAUSES[1]! })).toEqual([CAUSES[1], 0]);
  expect(await chosen({ causes: [] })).toEqual([null, 0]);
});
