import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { beginRun } from '../../../test/helpers/run-log.ts';
import { writeRows } from './event-statement.ts';
import { addReport, type NewReport, readStoredReport } from './reports.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const REPORT: NewReport = {
  ...{
    verdict: 'NO_ACTION',
    headline: 'All is well.',
    confidence: 0.9,
    entities: ['db-1'],
    labels: ['noise'],
  },
  ...{ evidenceScore: null, agreement: null, claims: [] },
};

test.each([
  ['a model', false, 0.9],
  ['the offline rules', true, null],
  ['another model', false, 0.8],
])(
  'the session of a report by %s has its verdict, and a confidence only of a model',
  async (_, byRules, confidence) => {
    const { fence } = await beginRun(pool);
    const report = { ...REPORT, confidence: confidence ?? REPORT.confidence };
    await writeRows(pool, fence, [addReport(report, byRules)]);
    const { rows } = await pool.query(
      'select verdict, confidence, labels from alert_sessions where id = $1',
      [fence.sessionId],
    );
    expect(rows).toEqual([{ verdict: 'NO_ACTION', confidence, labels: ['noise'] }]);
    expect(await readStoredReport(pool, fence.sessionId)).toEqual(report);
  },
);
