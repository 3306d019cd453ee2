import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { runPeriodically } from '../common/periodic.ts';
import type { Config } from '../config/types.ts';
import type { RunningConfigurationRow } from '../db/entities/index.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';
import { type Comparable, comparable } from './compare.ts';

/** Name of this process, unique among the processes that share the database: host and process id. */
export const THIS_PROCESS = `${hostname()}:${process.pid}`;

const HEARTBEAT_MS = 10_000;

const STORE = prepared(`
  insert into running_configurations (process, version, described) values ($1, $2, $3)
  on conflict (process) do update set seen_at = now(), version = excluded.version, described = excluded.described`);
const FORGET = `
  delete from running_configurations where process = $1 or seen_at < now() - interval '1 hour'`;
const READ = prepared(`
  select process, version, started_at as "startedAt", described from running_configurations
  where seen_at > now() - interval '1 minute' order by process`);

/** Publishes the configuration of this worker in the database until the worker stops. */
export function publishConfiguration(deps: {
  db: Queryable;
  config: Pick<Config, 'describe'>;
  version: string;
  logger: Logger;
}): { stop(): Promise<void> } {
  const { db, config, version, logger } = deps;
  let described: string | null = null; // `null` until the first heartbeat, so that the start need not wait for describe()
  const forget = () => db.query(FORGET, [THIS_PROCESS]);
  let isNew = true;
  const heartbeat = runPeriodically(
    async () => {
      if (isNew) await forget(); // deletes the row of an earlier process with the same id
      isNew = false;
      described ??= JSON.stringify(comparable(config.describe()));
      await db.query(STORE, [THIS_PROCESS, version, described]);
    },
    { task: 'publish configuration', everyMs: HEARTBEAT_MS, logger },
  );
  return {
    async stop() {
      await heartbeat.stop();
      await forget();
    },
  };
}

export type RunningWorker = Pick<RunningConfigurationRow, 'process' | 'version' | 'startedAt'> & {
  described: Comparable;
};

/** Returns the workers whose last heartbeat is at most a minute old. */
export async function readWorkers(db: Queryable): Promise<RunningWorker[]> {
  const { rows } = await db.query<RunningWorker>(READ, []);
  return rows;
}
