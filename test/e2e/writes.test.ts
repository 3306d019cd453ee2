import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scriptInvestigations } from '../bench/investigation.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';

/**
 * Largest number of sessions. The smallest number of writes counts, because a slow machine saves a growing text
 * more often.
 */
const SESSIONS = 20;

/** The most write transactions that a session may need, without those of the search index. */
const MOST = 17;

let app: TestApp;
let sql: pg.Client;
beforeAll(async () => {
  // Intervals so long that no lease is renewed while writes are counted.
  app = await startTestApp({ queue: { heartbeat_interval: '60s', lease_duration: '300s' } });
  sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
  await sql.query(COUNT);
}, 60_000);
afterAll(async () => {
  await sql.end();
  await app.stop();
});

/**
 * SQL that records each transaction which changes a row of TARSy or of the job queue. The tables of the search index
 * do not count: the index is written each second, so its share depends on how long a session takes.
 */
const COUNT = `
  create table public.write_transactions (id xid8 primary key);
  create function public.note_write() returns trigger language plpgsql as $$
  begin
    insert into public.write_transactions values (pg_current_xact_id()) on conflict do nothing;
    return null;
  end $$;
  do $$ declare t regclass; begin
    for t in select c.oid from pg_class c where c.relkind = 'r'
      and c.relname not in ('write_transactions', 'session_search', 'session_search_due')
      and c.relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)
    loop
      execute format('create trigger note_write after insert or update or delete on %s for each row
        execute function public.note_write()', t);
    end loop;
  end $$`;

async function writes(): Promise<number> {
  const { rows } = await sql.query<{ count: string }>('select count(*) from write_transactions');
  return Number(rows[0]!.count);
}

test('an investigation with three iterations and two tool calls writes rarely', async () => {
  const api = apiClient(app.url);
  scriptInvestigations(app.llm);
  const investigate = async () => {
    const id = await api.submit('Disk full');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
  };
  await investigate(); // warm-up: opens connections and fills caches
  const counts: number[] = [];
  while (counts.length < SESSIONS && !counts.some((count) => count <= MOST)) {
    const before = await writes();
    await investigate();
    counts.push((await writes()) - before);
  }
  process.stdout.write(`${counts.join(', ')} write transactions a session\n`);
  expect(Math.min(...counts)).toBeLessThanOrEqual(MOST);
}, 180_000);
