import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { percentile, report } from './report.ts';

const RUNS = 40;

let app: TestApp;
let api: ApiClient;
let sql: pg.Client;

beforeAll(async () => {
  app = await startTestApp();
  api = apiClient(app.url);
  sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
  await sql.query('create table bare (id int generated always as identity, text text not null)');
});
afterAll(async () => {
  await sql.end();
  await app.stop();
});

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

test('alert intake, pick-up and engine overhead', async () => {
  app.llm.otherwise((request) => {
    if (request.tools.length === 0) return { text: 'Summary.' };
    const answers = request.messages.filter(({ role }) => role === 'assistant').length;
    return answers < 2 ? toolCall('tools.echo', { text: String(answers) }) : { text: 'Done.' };
  });
  const intake: number[] = [];
  const bare: number[] = [];
  for (let n = 0; n < RUNS; n++) {
    bare.push(await timed(() => sql.query('insert into bare (text) values ($1)', ['an alert'])));
    let id = '';
    intake.push(await timed(async () => (id = await api.submit(`Alert ${n}`))));
    await api.waitFor(id, ({ status }) => ENDED.has(status));
  }
  report({
    name: 'alert intake, p50',
    value: percentile(intake, 0.5),
    unit: 'ms',
    baseline: percentile(bare, 0.5),
    baselineName: 'bare insert',
  });

  const { rows } = await sql.query<{ pickup: number; overhead: number }>(
    `select extract(epoch from (started_at - created_at)) * 1000 as pickup,
       (extract(epoch from (completed_at - started_at)) * 1000
        - (select sum(duration_ms) from llm_interactions l where l.session_id = s.id)
        - (select sum(duration_ms) from mcp_interactions m where m.session_id = s.id and m.type = 'TOOL_CALL')) / 3 as overhead
     from alert_sessions s where status = 'COMPLETED'`,
  );
  expect(rows).toHaveLength(RUNS);
  const pickups = rows.map(({ pickup }) => Number(pickup));
  const overheads = rows.map(({ overhead }) => Number(overhead));
  for (const share of [0.5, 0.99]) {
    const p = `p${share * 100}`;
    report({
      name: `pick-up of an idle queue, ${p}`,
      value: percentile(pickups, share),
      unit: 'ms',
      baseline: null,
      baselineName: null,
    });
    report({
      name: `engine time an iteration, MCP start included, ${p}`,
      value: percentile(overheads, share),
      unit: 'ms',
      baseline: null,
      baselineName: null,
    });
  }
});
