import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';

let app: TestApp;
let sql: pg.Client;
afterEach(async () => {
  await sql.end();
  await app.stop();
});

test('answers questions in parallel up to the limit, while the clean-up waits for none of them', async () => {
  app = await startTestApp({ queue: { chat_concurrency: 1 } });
  sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
  const api = apiClient(app.url);
  const finished = async (alert: string) => {
    app.llm.script({ text: 'The disk is full.' }, { text: 'Summary.' });
    const id = await api.submit(alert);
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    return id;
  };
  const [one, other] = [await finished('One'), await finished('Other')];
  app.llm.script([{ gate: 'first' }, { text: 'Because.' }], { text: 'Therefore.' });
  const first = await askQuestion(api, one, 'Why?');
  await app.llm.reached('first');
  const before = app.llm.requests.length;
  const second = await askQuestion(api, other, 'And then?');

  await sql.query(`select graphile_worker.add_job('apply-retention', '{}')`);
  const waiting = () =>
    sql.query(`select 1 from graphile_worker.jobs where task_identifier = 'apply-retention'`);
  await vi.waitUntil(async () => (await waiting()).rowCount === 0, { timeout: 20_000 });
  expect(app.llm.requests).toHaveLength(before);

  app.llm.open('first');
  expect(await waitForStageEnd(api, one, first)).toBe('COMPLETED');
  expect(await waitForStageEnd(api, other, second)).toBe('COMPLETED');
  const { rows } = await sql.query(
    `select a.completed_at <= b.started_at as in_turn from stages a, stages b
     where a.session_id = $1 and b.session_id = $2 and a.type = 'CHAT' and b.type = 'CHAT'`,
    [one, other].map((id) => Buffer.from(id, 'base64').toString().split(':')[1]),
  );
  expect(rows).toEqual([{ in_turn: true }]);
  app.llm.assertNoUnusedScripts();
});
