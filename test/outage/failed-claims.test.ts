import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { openTestPool } from '../helpers/deliveries.ts';

/** Errors of the database that no retry ends, such as a missing permission, while a worker takes over work. */
let app: TestApp;
let api: ApiClient;
let pool: ReturnType<typeof openTestPool>;
beforeEach(async () => {
  app = await startTestApp();
  app.llm.otherwise({ text: 'The disk is full.' });
  api = apiClient(app.url);
  pool = openTestPool(app.database.url);
});
afterEach(async () => {
  await pool.end();
  await app.stop();
});

/** Makes each claim fail until the returned function is called. */
async function refuseClaims(table: string, condition: string): Promise<() => Promise<unknown>> {
  await pool.query(`create or replace function refuse_claim() returns trigger language plpgsql as
    $$ begin raise exception 'no claims now' using errcode = 'insufficient_privilege'; end $$`);
  await pool.query(`create trigger refuse_claim before update on ${table} for each row when (${condition})
    execute function refuse_claim()`);
  return () => pool.query(`drop trigger refuse_claim on ${table}`);
}

/** Waits until a job has failed for good. */
async function untilJobFailed(): Promise<void> {
  const failed = async () =>
    (await pool.query(`select 1 from graphile_worker.jobs where attempts >= max_attempts`)).rowCount;
  await expect.poll(failed).toBe(1);
}

it('investigates a session after its claims failed', async () => {
  const allow = await refuseClaims('alert_sessions', `new.status = 'IN_PROGRESS' and old.status = 'PENDING'`);
  const id = await api.submit('Disk full');
  await untilJobFailed();
  await allow();
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
});

it('answers a question after its claims failed', async () => {
  const id = await api.submit('Disk full');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const allow = await refuseClaims('stages', `new.status = 'ACTIVE' and old.status = 'PENDING'`);
  const stage = await askQuestion(api, id, 'Why?');
  await untilJobFailed();
  await allow();
  expect(await waitForStageEnd(api, id, stage)).toBe('COMPLETED');
});
