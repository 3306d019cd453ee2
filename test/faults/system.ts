import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { startProcess, type TarsyProcess } from '../helpers/process.ts';
import { type ScriptedLlm, startScriptedLlm } from '../helpers/scripted-llm/index.ts';
import { startTemporaryPostgres } from '../helpers/temporary-postgres.ts';

/** A system whose database server, API processes and workers can all be disturbed. */
export interface System {
  llm: ScriptedLlm;
  sql: pg.Pool;
  /** Returns the address of a random API process. */
  url(): string;
  /** The faults by name. Each resolves once it is over. */
  faults: Readonly<Record<string, () => Promise<unknown>>>;
  stop(): Promise<void>;
}

const QUEUE = {
  max_concurrent_sessions: 10,
  lease_duration: '2s',
  heartbeat_interval: '400ms',
  max_attempts: 20,
};

/** Time that a process stays frozen (ms). */
const FROZEN_MS = 700;

/** Number of attempts to start a process, because a process exits if it cannot reach the database. */
const START_ATTEMPTS = 10;

export async function startSystem(random: () => number): Promise<System> {
  const database = await startTemporaryPostgres({ keepsCommits: true });
  const llm = await startScriptedLlm();
  const env = {
    DATABASE_URL: database.url,
    LLM_SERVICE_ADDR: llm.address,
    CONFIG_DIR: await writeConfig(testConfig({ queue: QUEUE, defaults: { max_iterations: 200 } })),
  };
  const sql = new pg.Pool({ connectionString: database.url, max: 1 });
  sql.on('error', () => {}); // a database restart ends the connection
  const apis = await startPool(random, () => startProcess('api', env));
  const workers = await startPool(random, () => startProcess('worker', env));

  const endConnections = (condition: string) => () =>
    sql.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and ${condition}`,
    );
  return {
    llm,
    sql,
    url: () => apis.pick()?.url ?? 'http://127.0.0.1:1',
    faults: {
      'LISTEN connections ended': endConnections("application_name = 'tarsy-listen'"),
      'announcing connections ended': endConnections("application_name = 'tarsy-announce'"),
      'half of the connections ended': endConnections("application_name like 'tarsy-%' and random() < 0.5"),
      'PostgreSQL restarted': () => database.restart(),
      'API process killed': () => apis.replace('SIGKILL'),
      'API process stopped': () => apis.replace('SIGTERM'),
      'worker killed': () => workers.replace('SIGKILL'),
      'worker stopped': () => workers.replace('SIGTERM'),
      'API process frozen': apis.freeze,
      'worker frozen': workers.freeze,
    },
    async stop() {
      await sql.end();
      await llm.close(); // no process waits for the model any more
      await Promise.all([apis.stop(), workers.stop()]);
      await database.stop();
    },
  };
}

/** Runs two processes of a role and replaces each one that exits. */
async function startPool(random: () => number, start: () => Promise<TarsyProcess>) {
  const running = [await start(), await start()];
  const starting = new Set<Promise<unknown>>();
  const pick = () => running[Math.floor(random() * running.length)];
  return {
    /** Returns a running process, or `undefined` if there is none. */
    pick,
    /**
     * Stops a process with the signal. Resolves once it has exited; its replacement joins when it is ready.
     */
    async replace(signal: NodeJS.Signals): Promise<void> {
      const victim = pick();
      if (!victim) return;
      running.splice(running.indexOf(victim), 1);
      await victim.end(signal);
      const next = startThrough(start).then((process) => running.push(process));
      starting.add(next);
      next.finally(() => starting.delete(next)).catch(() => {}); // the waiting caller reports the error
    },
    async freeze(): Promise<void> {
      const victim = pick();
      victim?.child.kill('SIGSTOP');
      await delay(FROZEN_MS);
      victim?.child.kill('SIGCONT');
    },
    async stop(): Promise<void> {
      await Promise.all(starting);
      // SIGKILL, because the database is removed too and needs no hand-over.
      await Promise.all(running.map((process) => process.end('SIGKILL')));
    },
  };
}

/** Starts a process; retries, because the database may be unavailable at that moment. */
async function startThrough(start: () => Promise<TarsyProcess>): Promise<TarsyProcess> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error;
    }
  }
}
