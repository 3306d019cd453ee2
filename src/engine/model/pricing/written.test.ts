import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { billed, RECORDED } from '../../../../test/fixtures/recorded-usage.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/helpers/postgres.ts';
import { beginRun } from '../../../../test/helpers/run-log.ts';
import { writeRows } from '../../store/event-statement.ts';
import { type LlmInteractionRecord, recordLlmCall } from '../../store/interactions.ts';
import { createPrices } from './prices.ts';

let database: TestDatabase;
let sql: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = new pg.Pool({ connectionString: database.url, max: 2 });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const CALL: LlmInteractionRecord = {
  ...{
    type: 'ITERATION',
    iteration: 1,
    provider: 'openai',
    modelName: 'x',
    request: {},
    response: { text: 'hm' },
  },
  ...{ thinking: null, lastMessageSequence: null, usage: null, durationMs: 1, errorMessage: null },
};
const NOWHERE = { stageId: null, executionId: null };

test("stores each call's cost, and the session's sum and count of unpriced calls", async () => {
  const run = await beginRun(sql);
  const prices = createPrices({});
  const record = async (...calls: Partial<LlmInteractionRecord>[]) =>
    writeRows(
      sql,
      run.fence,
      calls.flatMap((call) => recordLlmCall(NOWHERE, { ...CALL, ...call })),
    );
  for (const { provider, model: modelName, tokens } of RECORDED) {
    const costUsd = prices({ provider, model: modelName }, tokens, new Date('2026-11-23'));
    await record({ provider, modelName, usage: { ...tokens, totalTokens: 1, costUsd } });
  }
  const rows = await sql.query('select provider, cost_usd from llm_interactions order by created_at, id');
  expect(rows.rows.map(({ cost_usd: usd }) => usd)).toEqual(
    RECORDED.map((recorded) => expect.closeTo(billed(recorded), 12)),
  );
  const unknown = { inputTokens: 1, outputTokens: 1, thinkingTokens: 0, totalTokens: 2, costUsd: null };
  await record(
    { usage: { ...unknown, cachedReadTokens: 0, cacheWriteTokens: 0 } }, // unknown price
    {}, // no usage reported
    { errorMessage: 'broken off' }, // interrupted in the middle
    { errorMessage: 'busy', response: { text: '' } }, // failed before any output, so it is free
  );
  const session = await sql.query('select cost_usd, unpriced_calls from alert_sessions where id = $1', [
    run.fence.sessionId,
  ]);
  const sum = RECORDED.reduce((usd, recorded) => usd + billed(recorded), 0);
  expect(session.rows).toEqual([{ cost_usd: expect.closeTo(sum, 9), unpriced_calls: 3 }]);
});
