import { rm } from 'node:fs/promises';
import pg from 'pg';
import { type ApiClient, apiClient } from './api.ts';
import { SHORT_LEASE, type TestConfigOptions, testConfig, writeConfig } from './config.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';
import { startProcess, type TarsyProcess } from './process.ts';
import { type ScriptedLlm, startScriptedLlm } from './scripted-llm/index.ts';

/** One API process, any number of worker processes, one database and one scripted model. */
export interface Cluster {
  api: ApiClient;
  apiUrl: string;
  apiProcess: TarsyProcess;
  llm: ScriptedLlm;
  database: TestDatabase;
  /**
   * The test's own database pool, for reading rows and for cutting the connections of processes. Reconnects
   * after a restart.
   */
  sql: pg.Pool;
  /**
   * @param application name of the worker's database connections; default `tarsy-worker`
   * @param env variables to add or override
   */
  startWorker(application?: string, env?: Record<string, string>): Promise<TarsyProcess>;
  /** Starts a further API process. */
  startApi(): Promise<TarsyProcess>;
  /** Returns every line that any process has logged so far. */
  log(): string[];
  stop(): Promise<void>;
}

/** @param options.env variables added for every process */
export async function startCluster(
  options: TestConfigOptions & { database?: TestDatabase; env?: Record<string, string> } = {},
): Promise<Cluster> {
  const [llm, database] = await Promise.all([startScriptedLlm(), options.database ?? createTestDatabase()]);
  const configDir = await writeConfig(
    testConfig({ ...options, queue: { ...SHORT_LEASE, ...options.queue } }),
  );
  const env = {
    DATABASE_URL: database.url,
    LLM_SERVICE_ADDR: llm.address,
    CONFIG_DIR: configDir,
    ...options.env,
  };
  const processes = [await startProcess('api', env)];
  const sql = new pg.Pool({ connectionString: database.url, max: 1 });
  sql.on('error', () => {}); // a database restart ends the connection
  return {
    api: apiClient(processes[0]!.url!),
    apiUrl: processes[0]!.url!,
    apiProcess: processes[0]!,
    llm,
    database,
    sql,
    async startWorker(application, own = {}) {
      const url = new URL(own.DATABASE_URL ?? database.url);
      if (application) url.searchParams.set('application_name', application);
      const worker = await startProcess('worker', { ...env, ...own, DATABASE_URL: url.href });
      processes.push(worker);
      return worker;
    },
    async startApi() {
      const another = await startProcess('api', env);
      processes.push(another);
      return another;
    },
    log: () => processes.flatMap(({ log }) => log),
    async stop() {
      await sql.end();
      await llm.close(); // no process waits for the model any more
      await Promise.all(processes.reverse().map((process) => process.end('SIGTERM')));
      await database.drop();
      await rm(configDir, { recursive: true });
    },
  };
}
