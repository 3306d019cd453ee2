import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { MachineError } from '../../src/machine/errors.ts';
import { type Account, canEnter, chooseAccount, giveTo } from '../../src/machine/postgres/account.ts';
import { provideBinaries } from '../../src/machine/postgres/binaries.ts';
import { createCluster, readPassword } from '../../src/machine/postgres/cluster.ts';
import { openLogFile } from '../../src/machine/postgres/log-file.ts';
import { type ServerOptions, startServer } from '../../src/machine/postgres/server.ts';
import { startOnFreePort } from '../../src/machine/postgres/start.ts';

export interface TemporaryPostgres {
  /** URL of an empty database for the superuser. Further databases may be created on the server. */
  readonly url: string;
  /** How the server was started, for a standby of it. */
  readonly options: Omit<ServerOptions, 'port'>;
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
      settings: { ...SETTINGS, synchronous_commit: deps.keepsCommits ? 'on' : 'off', ...deps.settings },
      temporaryDir: dir,
    };
    const { signal } = new AbortController();
    const { value, ...first } = await startOnFreePort(options, 0, signal);
    let running: Pick<typeof first, 'stop'> = first;
    logger.debug({ dir }, 'temporary PostgreSQL is up');
    return {
      url: value.url,
      options,
      async restart() {
        await running.stop();
        running = await startServer({ ...options, port: value.port }, signal);
      },
      async stop() {
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

export function makeFolder(account: Account): string {
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    if (!canEnter(parent, account)) continue;
    const dir = mkdtempSync(join(parent, 'tarsy-postgres-'));
    giveTo(dir, account);
    chmodSync(dir, 0o700);
    return dir;
  }
  throw new MachineError(
    'DATA_UNREACHABLE',
    `no temporary folder that the account ${account.name} can enter`,
  );
}
