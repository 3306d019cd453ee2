import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type ApiClient, apiClient } from '../helpers/api.ts';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { createTestDatabase } from '../helpers/postgres.ts';
import { startProcess, type TarsyProcess } from '../helpers/process.ts';
import { type ScriptedLlm, startScriptedLlm } from '../helpers/scripted-llm/index.ts';
import type { OldVersion } from './old-version.ts';

/** Processes of one version on a database shared with the other version. */
export interface Version {
  startApi(): Promise<{ url: string; api: ApiClient; process: TarsyProcess }>;
  startWorker(): Promise<TarsyProcess>;
}

/** One database, one model, and two versions of the program. */
export interface SideBySide {
  databaseUrl: string;
  sql: pg.Pool;
  llm: ScriptedLlm;
  old: Version;
  new: Version;
  /** Arguments of all calls that the tool `note` received. */
  notes(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Each worker can run only a part of the sessions, so that every worker gets some. */
const QUEUE = {
  max_concurrent_sessions: 20,
  worker_concurrency: 5,
  lease_duration: '3s',
  heartbeat_interval: '500ms',
  max_attempts: 20,
};

export async function startSideBySide(old: OldVersion): Promise<SideBySide> {
  const [database, llm] = await Promise.all([createTestDatabase(), startScriptedLlm()]);
  const sql = new pg.Pool({ connectionString: database.url, max: 1 });
  // Empties the database, because each version creates its own schema.
  await sql.query('drop schema public cascade; create schema public; drop schema graphile_worker cascade');
  const toolLog = join(tmpdir(), `tarsy-upgrade-${process.pid}-${Date.now()}`);
  const options = { queue: QUEUE, defaults: { max_iterations: 200 }, toolLog };
  const started: TarsyProcess[] = [];
  const versionOf = (program: Pick<OldVersion, 'startProcess'>, configDir: string): Version => {
    const env = { DATABASE_URL: database.url, LLM_SERVICE_ADDR: llm.address, CONFIG_DIR: configDir };
    const start = async (role: 'api' | 'worker') => {
      const child = await program.startProcess(role, env);
      started.push(child);
      return child;
    };
    return {
      async startApi() {
        const child = await start('api');
        return { url: child.url!, api: apiClient(child.url!), process: child };
      },
      startWorker: () => start('worker'),
    };
  };
  return {
    databaseUrl: database.url,
    sql,
    llm,
    old: versionOf(old, await old.writeConfig(old.testConfig(options))),
    new: versionOf({ startProcess }, await writeConfig(testConfig(options))),
    notes: async () => (await readFile(toolLog, 'utf8')).trim().split('\n'),
    async stop() {
      await sql.end();
      await llm.close(); // no agent waits for the model any more
      await Promise.all(started.map((child) => child.end('SIGKILL')));
      await database.drop();
    },
  };
}
