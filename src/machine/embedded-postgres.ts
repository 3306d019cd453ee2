import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type FileLock, tryLockFile } from './file-lock.ts';
import { ensureHome } from './home.ts';
import { provideBinaries } from './postgres/binaries.ts';
import { makeCluster, readPassword } from './postgres/cluster.ts';
import { EmbeddedPostgresError } from './postgres/errors.ts';
import { clearLeftovers, readPostmasterFile } from './postgres/leftovers.ts';
import { type LogFile, openLogFile } from './postgres/log-file.ts';
import { choosePlace } from './postgres/place.ts';
import { DEFAULT_PORT } from './postgres/port.ts';
import { startServer, urlOf } from './postgres/server.ts';
import { startOnFreePort } from './postgres/start.ts';
import { isAlive } from './proc.ts';
import { supervise } from './supervise.ts';

export interface EmbeddedPostgresOptions {
  /** TARSY_HOME: data in `postgres`, log in `logs/postgres.log`. Made when missing. */
  readonly home: string;
  readonly logger: Logger;
  /** Wanted port on 127.0.0.1; when taken, a free one is used. */
  readonly port?: number;
}

export interface EmbeddedPostgres {
  /** Superuser's URL of our database; stays the same when the server is restarted after a crash. */
  readonly url: string;
  /** Shuts the server down cleanly; idempotent. */
  stop(): Promise<void>;
}

/** Said outright, so that no default of a later version can weaken what we promise about stored investigations. */
const DURABLE_SETTINGS = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' };

/**
 * Runs a real PostgreSQL on data of our own, as a child of this process, and restarts it should it die. Whatever an
 * earlier life left behind (a running server, stale pid files, unfinished data) is cleared first.
 * @throws EmbeddedPostgresError
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = ensureHome(options.home);
  const lock = tryLockFile(join(home, 'postgres.lock'));
  if (!lock) {
    throw new EmbeddedPostgresError(
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
    logger.info({ path: dataDir }, 'making the database (first start only)');
    await makeCluster({ binaries, account, dataDir, durable: true });
  }
  const server = {
    binaries,
    account,
    dataDir,
    password: readPassword(dataDir),
    log,
    settings: DURABLE_SETTINGS,
  };
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
  return {
    url: supervised.value.url,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** URL of our database where a TARSy of this data home runs it now; null where none does. */
export function runningPostgresUrl(home: string): string | null {
  const dataDir = join(home, 'postgres'); // or a link to it
  const file = existsSync(dataDir) ? readPostmasterFile(dataDir) : undefined;
  if (file?.state !== 'ready' || file.pid === undefined || !isAlive(file.pid)) return null;
  return urlOf({ port: file.port, password: readPassword(dataDir) });
}
