import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/**
 * Step between the writes that a sweep covers: one run is disturbed at write 1, another at write 1 + EVERY,
 * and so on.
 */
export const EVERY = Number(process.env.CRASH_EVERY ?? 61);

/** Poll interval for waiting writes (ms). */
const POLL_MS = 20;

/** Key of the lock that a write waits for ("gate" as bytes). */
const LOCK = 0x67617465;

/** Writes of a worker: the name of its connections, and the tables that it writes. */
const OF_WORKERS = {
  application: 'tarsy-worker',
  tables: [
    'alert_sessions',
    'stages',
    'agent_executions',
    'timeline_events',
    'messages',
    'llm_interactions',
    'mcp_interactions',
    'reports',
    'answer_reports',
    'approvals',
  ],
};

/** Stops a process at its k-th write to a database. */
export interface WriteGate {
  /** Makes the k-th write from now on wait, and all later writes. */
  closeAt(k: number): Promise<ClosedGate>;
  end(): Promise<void>;
}

export interface ClosedGate {
  /** Number of the write that waits. */
  place: number;
  /** Resolves with the application name of the connection whose write waits. */
  reached: Promise<string>;
  /**
   * Lets the waiting write continue. A server that restarted meanwhile has lost the lock, so no write waits
   * any more.
   */
  open(): Promise<void>;
  /** Ends the connection whose write waits, so that the write is lost. */
  lose(): Promise<void>;
}

/**
 * Makes the database count writes over all statements in commit order. The k-th write waits for a lock that
 * the test holds.
 * @param counted tables, and the beginning of the application name of the connections whose writes count
 */
export async function installWriteGate(url: string, counted = OF_WORKERS): Promise<WriteGate> {
  let holder = await connect(url);
  await holder.query(installing(counted.application));
  for (const table of counted.tables) {
    await holder.query(
      `create trigger count_write after insert or update on ${table} for each row execute function count_write()`,
    );
  }

  /** Returns the connection that holds the lock, a new one after a server restart. */
  async function held(): Promise<pg.Client> {
    try {
      await holder.query('select 1');
    } catch {
      holder = await connect(url);
    }
    return holder;
  }

  return {
    async closeAt(k) {
      const client = await held();
      await client.query(`select pg_advisory_lock(${LOCK})`);
      await client.query('update write_gate set stop_at = $1', [k]);
      await client.query(`select setval('write_count', 1, false)`);
      const opened = new AbortController();
      return {
        place: k,
        async lose() {
          await client.query(
            `select pg_terminate_backend(pid) from pg_locks
             where locktype = 'advisory' and objid = ${LOCK} and not granted`,
          );
        },
        reached: untilWaiting(client, opened.signal),
        async open() {
          opened.abort();
          const now = await held();
          await now.query('update write_gate set stop_at = 0');
          await now.query('select pg_advisory_unlock_all()');
        },
      };
    },
    end: () => holder.end(),
  };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'gate' });
  client.on('error', () => {}); // the server restarts
  await client.connect();
  return client;
}

/**
 * Resolves once a write waits for the lock. Polls, because a waiting transaction cannot notify. Never
 * resolves after the gate was opened.
 */
async function untilWaiting(client: pg.Client, opened: AbortSignal): Promise<string> {
  while (!opened.aborted) {
    const { rows } = await client.query<{ name: string }>(
      `select a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'advisory' and l.objid = ${LOCK} and not l.granted and a.datname = current_database()`,
    );
    if (rows[0]) return rows[0].name;
    await delay(POLL_MS);
  }
  return new Promise(() => {});
}

const installing = (application: string) => `
  create sequence write_count;
  create table write_gate (stop_at bigint not null);
  insert into write_gate values (0);
  create function count_write() returns trigger language plpgsql as $$
  declare n bigint; k bigint;
  begin
    if current_setting('application_name') not like '${application}%' then return null; end if;
    n := nextval('write_count');
    select stop_at into k from write_gate;
    if n = k then
      perform pg_advisory_xact_lock_shared(${LOCK});
    end if;
    return null;
  end $$;`;
