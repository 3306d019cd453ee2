import { EventEmitter } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Bus } from '../../src/engine/live/bus.ts';
import { createSessionListSubscriptions } from '../../src/engine/live/subscribe-session-list.ts';
import { type Api, openApi } from '../helpers/http-api.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

const SESSIONS = scaled(2_000, 50_000, 1_000_000);
const WAITING = SESSIONS / 50;
const RUNNING = 100;
const RUNS = scaled(5, 100);
const WARM_UP = 3;
/** Time (ms) after which a slow case is not run again. */
const CASE_MS = 20_000;

let api: Api;
beforeAll(async () => {
  api = await openApi();
  await fill(api.databaseUrl);
}, 900_000);
afterAll(() => api?.close());

const ROW =
  'id alertType alertPreview status author createdAt queuePosition currentStage { name } tokenUsage { totalTokens }';
const LIST = `query ($filter: SessionFilter, $orderBy: SessionOrder) {
  sessions(first: 25, filter: $filter, orderBy: $orderBy) { pageInfo { hasNextPage } nodes { ${ROW} } } }`;
const COUNT = 'query ($filter: SessionFilter) { sessions(first: 1, filter: $filter) { totalCount } }';
const FACET =
  'query ($by: SessionFacet!, $filter: SessionFilter) { sessionCounts(by: $by, filter: $filter) { counted values { value count } } }';
const TWO_FILTERS = { status: ['FAILED'], alertType: ['type-3'] };

test.each([
  ['first page', LIST, {}],
  ['queued, with queue positions', LIST, { filter: { status: ['PENDING'] } }],
  [
    'queued, the last of the queue',
    LIST,
    { filter: { status: ['PENDING'] }, orderBy: { field: 'CREATED_AT', direction: 'DESC' } },
  ],
  ['filter by status', LIST, { filter: { status: ['TIMED_OUT'] } }],
  ['two filters, by AUTHOR', LIST, { filter: TWO_FILTERS, orderBy: { field: 'AUTHOR', direction: 'ASC' } }],
  ['count: all', COUNT, {}],
  ['count: a status', COUNT, { filter: { status: ['FAILED'] } }],
  ['count: two filters', COUNT, { filter: TWO_FILTERS }],
  ['facet: a status of each', FACET, { by: 'STATUS', filter: {} }],
  ['facet: a verdict of each', FACET, { by: 'VERDICT', filter: { status: ['COMPLETED', 'FAILED'] } }],
  ['facet: a type of each, with two filters', FACET, { by: 'AUTHOR', filter: TWO_FILTERS }],
])('%s', async (name, document, variables) => {
  await measure(name, async () => {
    const { errors } = await api.query(document, variables);
    expect(errors).toBeUndefined();
  });
});

test('the list after the connection was lost for a minute', async () => {
  const bus = new EventEmitter();
  const lists = createSessionListSubscriptions({
    db: api.pool,
    bus: bus as unknown as Bus,
    pollMs: 3_600_000,
    logger: api.logger,
  });
  let told = 0;
  let all = Promise.withResolvers<void>();
  const stop = lists.subscribeSessions().listen(() => {
    told += 1;
    if (told === RUNNING) all.resolve();
  });
  await measure(`list after a lost connection, ${RUNNING} run`, async () => {
    told = 0;
    all = Promise.withResolvers();
    bus.emit('reconnected', new Date());
    await all.promise;
  });
  stop();
  lists.close();
});

async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  const since = performance.now();
  for (let run = -WARM_UP; run < RUNS && performance.now() - since < CASE_MS; run += 1) {
    const begun = performance.now();
    await work();
    if (run >= 0) times.push(performance.now() - begun);
  }
  for (const share of [0.5, 0.99])
    report({
      name: `${SESSIONS} sessions: ${name}, p${share * 100}`,
      value: percentile(times, share),
      unit: 'ms',
      baseline: null,
      baselineName: null,
    });
}

/**
 * Fills the database with minimal rows. All sessions ended long ago, apart from queued and running ones.
 * Indexes are built afterwards, which takes a third of the time.
 */
async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`set session_replication_role = replica; set maintenance_work_mem = '512MB'`);
    const { rows } = await client.query<{ name: string; definition: string }>(
      `select indexname as name, indexdef as definition from pg_indexes where tablename = 'alert_sessions'
         and not exists (select 1 from pg_constraint where conname = indexname)`,
    );
    await client.query(`drop index ${rows.map(({ name }) => name).join(', ')}`);
    await client.query(
      `insert into alert_sessions (id, alert_type, alert_data, chain_id, status, author, final_analysis, created_at, started_at,
         completed_at, last_interaction_at, dispatched_at, last_event_seq, last_timeline_sequence, total_tokens)
       select uuidv7(at - now()), 'type-' || (hashint4(n) & 65535) % 20, 'Disk of node-' || n || ' is almost full', 'chain-' || n % 5, status,
         'user' || n % 60 || '@example.com', case when status = 'COMPLETED' then 'A log that nothing rotates fills it.' end,
         at, case when status <> 'PENDING' then at end, case when status not in ('PENDING', 'IN_PROGRESS') then at + interval '5 minutes' end,
         at, case when status = 'IN_PROGRESS' then at end, 20, 10, 12000
       from (select n, now() - ($1 - n) * interval '8 seconds' - interval '10 minutes' as at,
           case when n > $1 - $2 then 'PENDING' when n > $1 - $2 - $3 then 'IN_PROGRESS' when n % 20 = 3 then 'FAILED'
             when n % 80 = 11 then 'TIMED_OUT' else 'COMPLETED' end as status
         from generate_series(1, $1::int) n) s`,
      [SESSIONS, WAITING, RUNNING],
    );
    for (const { definition } of rows) await client.query(definition);
    await client.query('vacuum analyze alert_sessions');
  } finally {
    await client.end();
  }
}
