import { setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { auditRow } from '../../audit.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import type { Queryable } from '../../db/queryable.ts';
import { createSessionInserter } from './insert-batch.ts';

const SOMEBODY = { name: 'ana', via: 'NONE', address: null };

let database: TestDatabase;
let pool: pg.Pool;
/** The number of alerts in each statement. */
let sizes: number[];
let db: Queryable;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 10 });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  db = {
    query(statement, values) {
      sizes.push((JSON.parse(String(values![0])) as unknown[]).length);
      return pool.query(statement as never, values as never) as never;
    },
  };
  sizes = [];
  await pool.query(`alter table alert_sessions add constraint not_bad check (alert_data <> 'bad')`);
  await pool.query(`create function disturb() returns trigger language plpgsql as $$ begin
    if new.alert_data = 'cut' then perform pg_terminate_backend(pg_backend_pid()); end if;
    if new.alert_data = 'slow' then perform pg_advisory_xact_lock(4711); end if;
    return new; end $$`);
  await pool.query(
    'create trigger disturb before insert on alert_sessions for each row execute function disturb()',
  );
});
afterEach(async () => {
  sizes = [];
  await pool.query('delete from alert_sessions; delete from audit_events');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

function alert(alertData: string) {
  const id = uuidv7();
  const headline = {
    title: `"${alertData.slice(0, 20)}"`,
    severity: 'INFO' as const,
    entities: ['host a', 'host "b"'],
  };
  const none = { runbookUrl: null, mcpSelection: null, slackMessageFingerprint: null };
  return {
    session: {
      id,
      alertType: 'test',
      alertData,
      headline,
      chainId: 'test',
      author: 'ana',
      team: 'sre',
      ...none,
    },
    audit: auditRow(SOMEBODY, { action: 'session.submit', target: { type: 'Session', id } }),
  };
}

/** Returns the stored rows of alerts, in the order of their creation. */
async function stored() {
  const { rows } = await pool.query<{ text: string; events: string[]; audits: number }>(
    `select alert_data as text,
       array(select seq || ' ' || type || ' ' || (payload->>'id' = s.id::text) from session_events where session_id = s.id) as events,
       (select count(*)::int from audit_events where target_id = s.id and action = 'session.submit') as audits
     from alert_sessions s order by id`,
  );
  return rows;
}

const whole = (text: string) => ({ text, events: ['1 SessionStatusChanged true'], audits: 1 });

async function auditCount(): Promise<number> {
  return (await pool.query('select 1 from audit_events')).rows.length;
}

test('stores many concurrent alerts once each, in few statements', async () => {
  const store = createSessionInserter(db);
  const alerts = Array.from({ length: 250 }, (_, n) => alert(`alert ${n}`));
  const answers = await Promise.all(alerts.map(store));
  expect(answers.map(({ id, title, entities }) => ({ id, title, entities }))).toEqual(
    alerts.map(({ session: { id, headline } }) => ({
      id,
      title: headline.title,
      entities: headline.entities,
    })),
  );
  expect(await stored()).toEqual(alerts.map(({ session }) => whole(session.alertData)));
  expect(await auditCount()).toBe(250);
  expect(sizes).toEqual([100, 100, 50]);
});

test('stores null for omitted values, and starts a wait when it stores the session', async () => {
  const waiting = alert('waits');
  const store = createSessionInserter(db);
  const answers = await Promise.all([
    store(alert('at once')),
    store({ ...waiting, session: { ...waiting.session, waitMs: 60_000 } }),
  ]);
  expect(answers[0]).toMatchObject({
    team: 'sre',
    author: 'ana',
    status: 'PENDING',
    runAt: null,
    groupId: null,
  });
  const wait = answers[1]!.runAt!.getTime() - answers[1]!.createdAt.getTime();
  expect(Math.abs(wait - 60_000)).toBeLessThanOrEqual(1);
  const { rows } = await pool.query(
    `select 1 from alert_sessions where mcp_selection is null and runbook_url is null and last_event_seq = 1`,
  );
  expect(rows.length).toBe(2);
});

test('stores a single alert at once', async () => {
  const answer = createSessionInserter(db)(alert('alone'));
  await turn();
  await turn();
  expect(sizes).toEqual([1]);
  await answer;
});

test('stores alerts that arrive during a statement with the next one', async () => {
  const store = createSessionInserter(db);
  const first = store(alert('first'));
  while (sizes.length === 0) await turn();
  await Promise.all([first, ...['a', 'b', 'c'].map((text) => store(alert(text)))]);
  expect(sizes).toEqual([1, 3]);
});

test('splits large alerts into several statements', async () => {
  const store = createSessionInserter(db);
  await Promise.all(Array.from({ length: 5 }, () => store(alert('x'.repeat(600_000)))));
  expect(sizes).toEqual([2, 2, 1]);
});

test('stores all other alerts of a batch when the database refuses one', async () => {
  const store = createSessionInserter(db);
  const texts = ['a', 'bad', 'b', 'c'];
  const answers = await Promise.allSettled(texts.map((text) => store(alert(text))));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(answers[1]).toMatchObject({ reason: { code: '23514' } });
  expect(await stored()).toEqual(['a', 'b', 'c'].map(whole));
  expect(await auditCount()).toBe(3);
  expect(sizes).toEqual([4, 1, 1, 1, 1]);
});

test('does not repeat a statement after a broken connection, because it may be committed', async () => {
  const store = createSessionInserter(db);
  const answers = await Promise.allSettled(['a', 'cut', 'b'].map((text) => store(alert(text))));
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(sizes).toEqual([3]);
  expect(await stored()).toEqual([]);
  await store(alert('later'));
  expect(await stored()).toEqual([whole('later')]);
});

test('does not delay alerts for long during a slow statement', async () => {
  const store = createSessionInserter(db);
  const holder = await pool.connect();
  await holder.query('select pg_advisory_lock(4711)');
  const slow = store(alert('slow'));
  while (sizes.length === 0) await turn();
  await store(alert('quick'));
  expect(await stored()).toEqual([whole('quick')]);
  await holder.query('select pg_advisory_unlock(4711)');
  holder.release();
  await slow;
  expect(await stored()).toEqual([whole('slow'), whole('quick')]);
});
