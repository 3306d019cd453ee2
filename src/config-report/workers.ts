import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Config } from '../config/types.ts';
import type { RunningConfigurationRow } from '../db/entities/index.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';
import { regularly } from '../engine/common/periodic.ts';
import { type Comparable, comparable } from './compare.ts';

/** Name of this process, among all that share the database. */
export const THIS_PROCESS = `${hostname()}:${process.pid}`;

/** Milliseconds between two signs of life. */
const TELL_MS = 10_000;

const TELL = prepared(`
  insert into running_configurations (process, version, described) values ($1, $2, $3)
  on conflict (process) do update set seen_at = now(), version = excluded.version, described = excluded.described`);
const FORGET = `
  delete from running_configurations where process = $1 or seen_at < now() - interval '1 hour'`;
const READ = prepared(`
  select process, version, started_at as "startedAt", described from running_configurations
  where seen_at > now() - interval '1 minute' order by process`);

/** Tells what this process runs investigations with, for as long as it does. */
export function tellConfiguration(deps: {
  db: Queryable;
  config: Pick<Config, 'describe'>;
  version: string;
  logger: Logger;
}): { stop(): Promise<void> } {
  const { db, config, version, logger } = deps;
  let described: string | null = null; // made after the start, which waits for nobody who looks
  const forget = () => db.query(FORGET, [THIS_PROCESS]);
  let isNew = true;
  const telling = regularly(
    async () => {
      if (isNew) await forget(); // of one with the same number before
      isNew = false;
      described ??= JSON.stringify(comparable(config.describe()));
      await db.query(TELL, [THIS_PROCESS, version, described]);
    },
    { task: 'Telling of the configuration', everyMs: TELL_MS, logger },
  );
  return {
    async stop() {
      await telling.stop();
      await forget();
    },
  };
}

export type RunningWorker = Pick<RunningConfigurationRow, 'process' | 'version' | 'startedAt'> & {
  described: Comparable;
};

/** Those that gave a sign of life within a minute. */
export async function readWorkers(db: Queryable): Promise<RunningWorker[]> {
  const { rows } = await db.query<RunningWorker>(READ, []);
  return rows;
}
