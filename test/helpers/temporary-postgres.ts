import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { chooseAccount } from '../../src/machine/postgres/account.ts';
import { provideBinaries } from '../../src/machine/postgres/binaries.ts';
import { createCluster, readPassword } from '../../src/machine/postgres/cluster.ts';
import { openLogFile } from '../../src/machine/postgres/log-file.ts';
import { startServer } from '../../src/machine/postgres/server.ts';
import { startOnFreePort } from '../../src/machine/postgres/start.ts';
import { hasReplicas, openWays } from './database-modes.ts';
import { freePort } from './free-port.ts';
import type { Primary } from './standby.ts';
import { makeFolder } from './temporary-folder.ts';

/** A server for tests. `url` is that of an empty database for the superuser, who may create further databases. */
export interface TemporaryPostgres extends Primary {
  /** Stops the server at once, as in a crash, and restarts it on the same port and data. */
  restart(): Promise<void>;
  /** Stops the server and removes its data; idempotent. */
  stop(): Promise<void>;
}

/**
 * Gives up durability for speed, and allows the connections of several processes and tests at once. Keeps WAL for standbys
 * that connect late.
 */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '500', wal_keep_size: '512MB' };

/**
 * Starts a server for one test run: no durability, a free port, data in a temporary folder. `stop` or the end
 * of this process deletes the folder.
 * @param deps.keepsCommits true if committed data must survive a restart; slower
 * @param deps.settings of PostgreSQL, in place of the usual ones
 * @throws MachineError
 */
export async function startTemporaryPostgres(
  deps: { logger?: Logger; keepsCommits?: boolean; settings?: Readonly<Record<string, string>> } = {},
): Promise<TemporaryPostgres> {
  const logger = deps.logger ?? pino({ level: 'silent' });
  const account = chooseAccount(undefined);
  const dir = makeFolder(account);
  try {
    const binaries = provideBinaries(dir, account);
    const dataDir = join(dir, 'data');
    await createCluster({ binaries, account, dataDir, durable: false });
    const log = openLogFile(join(dir, 'postgres.log'));
    const options = {
      binaries,
      account,
      dataDir,
      password: readPassword(dataDir),
      log,
      settings: {
        ...SETTINGS,
        synchronous_commit: deps.keepsCommits || hasReplicas ? 'on' : 'off',
        ...deps.settings,
      },
      temporaryDir: dir,
    };
    const { signal } = new AbortController();
    const { value, ...first } = await startOnFreePort(options, await freePort(), signal);
    let running: Pick<typeof first, 'stop'> = first;
    const ways = await openWays({ url: value.url, options });
    logger.debug({ dir }, 'temporary PostgreSQL is up');
    return {
      url: value.url,
      options,
      async restart() {
        await running.stop();
        running = await startServer({ ...options, port: value.port }, signal);
      },
      async stop() {
        await ways.stop();
        await running.stop();
        log.close();
        rmSync(dir, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
}
