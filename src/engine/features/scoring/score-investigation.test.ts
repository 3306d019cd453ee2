import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { chainYaml } from '../../../../test/fixtures/config/chain-yaml.ts';
import { loadText } from '../../../../test/fixtures/config/load-text.ts';
import { insertInvestigation } from '../../../../test/helpers/investigation.ts';
import { openObserver } from '../../../../test/helpers/observer.ts';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import { handedIn } from '../../../../test/helpers/scores.ts';
import { createLlmBench } from '../../../../test/helpers/scripted-llm/client.ts';
import type { ScriptedResponse } from '../../../../test/helpers/scripted-llm/index.ts';
import { uuidv7 } from '../../../common/uuidv7.ts';
import type { ScoreRow } from '../../../db/entities/index.ts';
import { createProviderAvailability } from '../../model/availability/provider-availability.ts';
import type { SessionRun } from '../../run-context/types.ts';
import { readSession } from '../../store/sessions.ts';
import { scoreInvestigation } from './score-investigation.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const { startService, connect, release } = createLlmBench();
afterEach(release);

const JUDGE = 'openai-default';

/** Prepares the score of an investigation by a judge that answers as scripted. */
async function judged(responses: ScriptedResponse[], maskText = (text: string) => text) {
  const config = await loadText(chainYaml({ defaults: `llm_provider: ${JUDGE}` }));
  const llm = await startService();
  llm.script(...responses);
  const { session: id } = await insertInvestigation(pool);
  const availability = createProviderAvailability(() => {});
  const run = {
    ...{
      db: pool,
      config,
      chain: config.chains.c,
      client: connect(llm.address),
      availability,
      budgets: null,
    },
    ...{ session: await readSession(pool, id), alert: { alertData: 'disk at 91%', runbook: null } },
    ...{ masking: { maskText }, observer: await openObserver(pool), logger: pino({ level: 'silent' }) },
    signal: new AbortController().signal,
  } as unknown as SessionRun;
  const score = { id: uuidv7(), requestedBy: 'ana' } as ScoreRow;
  return { id, availability, scoring: () => scoreInvestigation(run, score, () => {}) };
}

test('an answer that cannot be masked gives no score, and the trace withholds it', async () => {
  const { id, scoring } = await judged([[{ thinking: 'hunter2?' }, handedIn('It says hunter2.')]], () => {
    throw new Error('no masking');
  });
  await expect(scoring()).rejects.toThrow('could not be masked');
  const { rows } = await pool.query(
    `select thinking, response from llm_interactions where session_id = $1 and type = 'SCORING'`,
    [id],
  );
  const withheld = '[withheld: secrets in it could not be masked]';
  expect(rows).toMatchObject([
    { thinking: withheld, response: { text: withheld, toolCalls: [{ arguments: withheld }] } },
  ]);
  expect(JSON.stringify(rows)).not.toContain('hunter2');
});

test('a judge that answers is available again, also if its answers are unusable', async () => {
  const { availability, scoring } = await judged([{ text: 'Good.' }, { text: 'Very good.' }]);
  availability.failed(JUDGE, 'REFUSED');
  expect(availability.isOpen(JUDGE)).toBe(true);
  await expect(scoring()).rejects.toThrow('unusable answer');
  expect(availability.isOpen(JUDGE)).toBe(false);
});
