import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { MachineError } from './errors.ts';
import { type FileLock, tryLockFile } from './file-lock.ts';
import { ensureHome } from './home.ts';
import { provideBinaries } from './postgres/binaries.ts';
import { createCluster, readPassword } from './postgres/cluster.ts';
import { clearLeftovers, readPostmasterFile } from './postgres/leftovers.ts';
import { type LogFile, openLogFile } from './postgres/log-file.ts';
import { choosePlace } from './postgres/place.ts';
import { startServer, urlOf } from './postgres/server.ts';
import { startOnFreePort } from './postgres/start.ts';
import { isAlive } from './proc.ts';
import { supervise } from './supervise.ts';

export interface EmbeddedPostgresOptions {
  /** TARSY_HOME, with data in `postgres` and the log in `logs/postgres.log`. Created if missing. */
  readonly home: string;
  readonly logger: Logger;
  /** Preferred port on 127.0.0.1. If it is taken, a free port is used. */
  readonly port?: number;
}

export interface EmbeddedPostgres {
  /** URL of the database. Restarts after a crash do not change it. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Not 5432, which an ordinary PostgreSQL uses. Fixed, so that psql settings of users stay valid. */
const DEFAULT_PORT = 54_329;
/** Set explicitly, so that no later default can weaken the durability of stored investigations. */
const DURABLE_SETTINGS = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' };

/**
 * Runs PostgreSQL on TARSy's own data as a child process and restarts it if it dies. First clears what an earlier run
 * left: a running server, stale pid files, unfinished data.
 * @throws MachineError
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = ensureHome(options.home);
  const lock = tryLockFile(join(home, 'postgres.lock'));
  if (!lock) {
    throw new MachineError(
      'IN_USE',
      `another process runs the PostgreSQL of ${home}: stop it, or set TARSY_HOME or DATABASE_URL`,
    );
  }
  const log = openLogFile(join(home, 'logs', 'postgres.log'));
  try {
    return await startLocked(home, options, lock, log);
  } catch (error) {
    log.close();
    lock.release();
    throw error;
  }
}

async function startLocked(
  home: string,
  { logger, port = DEFAULT_PORT }: EmbeddedPostgresOptions,
  lock: FileLock,
  log: LogFile,
): Promise<EmbeddedPostgres> {
  const { dir, dataDir, account } = choosePlace(home, logger);
  const binaries = provideBinaries(dir, account);
  if (!existsSync(dataDir)) {
    logger.info({ path: dataDir }, 'creating the database (first start only)');
    await createCluster({ binaries, account, dataDir, durable: true });
  }
  const password = readPassword(dataDir);
  const server = { binaries, account, dataDir, password, log, settings: DURABLE_SETTINGS };
  const supervised = await supervise<{ url: string; port: number }>({
    name: 'PostgreSQL',
    logger,
    launch: async (previous, signal) => {
      await clearLeftovers(dataDir, logger);
      if (previous === undefined) return startOnFreePort(server, port, signal);
      const running = await startServer({ ...server, port: previous.port }, signal);
      return { ...running, value: previous };
    },
  });
  logger.info({ port: supervised.value.port, account: account.name }, 'PostgreSQL is up');

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await supervised.stop();
    log.close();
    lock.release();
  };
  return { url: supervised.value.url, stop: () => (stopped ??= stop()) };
}

/** Returns the URL of the embedded database in the data home `home`; `null` if it is not running. */
export function runningPostgresUrl(home: string): string | null {
  const dataDir = join(home, 'postgres'); // may be a symbolic link
  const file = existsSync(dataDir) ? readPostmasterFile(dataDir) : undefined;
  if (file?.state !== 'ready' || file.pid === undefined || !isAlive(file.pid)) return null;
  return urlOf({ port: file.port, password: readPassword(dataDir) });
}
