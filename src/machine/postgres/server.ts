import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type ManagedChild, type StopStep, spawnManaged } from '../child.ts';
import type { Running } from '../supervise.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { CLEAN_ENV, DATABASE, ROLE } from './cluster.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { startGuardian } from './guardian.ts';
import { readPostmasterFile } from './leftovers.ts';
import type { LogFile } from './log-file.ts';

/** Milliseconds until ready; crash recovery replays the write-ahead log and may take minutes. */
const READY_LIMIT_MS = 300_000;
const READY_POLL_MS = 15;
const UNDEFINED_DATABASE = '3D000';

/** Fast shutdown, then immediate (the next start runs recovery), then kill. */
const STOP_DURABLE: readonly StopStep[] = [
  { signal: 'SIGINT', graceMs: 30_000 },
  { signal: 'SIGQUIT', graceMs: 5_000 },
  { signal: 'SIGKILL', graceMs: 5_000 },
];
const STOP_TEMPORARY = STOP_DURABLE.slice(1);

export interface ServerOptions {
  readonly binaries: Binaries;
  readonly account: Account;
  readonly dataDir: string;
  readonly password: string;
  readonly port: number;
  readonly log: LogFile;
  /** PostgreSQL settings in addition to the common ones. */
  readonly settings: Readonly<Record<string, string>>;
  /** Folder to remove with the server, which then needs no clean shutdown. */
  readonly temporaryDir?: string;
}

const COMMON_SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // Small, because the server shares its machine with everything else.
  shared_buffers: '128MB',
  // Enough for the pools of the API and of each worker; unused slots cost nothing.
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  // Details and statements contain values, and alert text does not belong in logs.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

/**
 * Starts a server on a cluster and waits until it answers and has TARSy's database.
 * @throws EmbeddedPostgresError START_FAILED with the server's own message, or the signal's reason
 */
export async function startServer(
  options: ServerOptions,
  signal: AbortSignal,
): Promise<Running<{ url: string }>> {
  const { account, dataDir, log, temporaryDir } = options;
  const server = spawnManaged(options.binaries.postgres, serverArgs(options), {
    ...account.spawn,
    cwd: dataDir,
    env: CLEAN_ENV,
    // A separate process group, so that Ctrl-C reaches only this process, which stops its parts in order.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server.process.stderr?.on('data', (chunk: Buffer) => log.write(chunk));
  const guardian = guard(server, options);
  // The guardian ends with the server, whose process id may be reused afterwards.
  const exited = server.exited.then(async (reason) => {
    await guardian?.stop([{ signal: 'SIGKILL', graceMs: 1_000 }]);
    return reason;
  });
  const stop = async () => {
    await server.stop(temporaryDir === undefined ? STOP_DURABLE : STOP_TEMPORARY);
    await exited;
  };
  const url = urlOf(options, DATABASE);
  try {
    await untilReady(server, options, signal);
    await ensureDatabase(options);
  } catch (error) {
    await stop();
    if (signal.aborted || error instanceof EmbeddedPostgresError) throw error;
    throw new EmbeddedPostgresError('START_FAILED', 'PostgreSQL started and cannot be used', {
      cause: error,
    });
  }
  return { value: { url }, exited, stop };
}

function guard(
  server: ManagedChild,
  { dataDir, account, temporaryDir }: ServerOptions,
): ManagedChild | undefined {
  const { pid } = server.process;
  if (pid === undefined) return undefined;
  return temporaryDir === undefined
    ? startGuardian({ pid, dataDir, account, signal: 'INT' })
    : startGuardian({ pid, dataDir, account, signal: 'QUIT', remove: temporaryDir });
}

async function untilReady(
  server: ManagedChild,
  { dataDir, log }: ServerOptions,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + READY_LIMIT_MS;
  for (;;) {
    signal.throwIfAborted();
    const file = readPostmasterFile(dataDir);
    if (file?.pid === server.process.pid && file?.state === 'ready') return;
    const ended = await Promise.race([server.exited, delay(READY_POLL_MS, undefined, { signal })]);
    if (ended !== undefined) {
      await server.drained;
      throw new EmbeddedPostgresError('START_FAILED', `PostgreSQL did not start: ${complaint(log) ?? ended}`);
    }
    if (performance.now() > deadline) {
      throw new EmbeddedPostgresError(
        'START_FAILED',
        `PostgreSQL was not ready after ${READY_LIMIT_MS / 1000} s`,
      );
    }
  }
}

/** True if a start failed because another process uses the port. */
export function isPortTaken(log: LogFile): boolean {
  return /could not bind .*Address already in use/.test(log.tail());
}

function serverArgs({ dataDir, port, settings }: ServerOptions): string[] {
  const all = { ...COMMON_SETTINGS, ...settings };
  return [
    '-D',
    dataDir,
    '-p',
    String(port),
    ...Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
  ];
}

function complaint(log: LogFile): string | undefined {
  const lines = log.tail().split('\n');
  return lines
    .findLast((line) => /FATAL|PANIC|error while loading/.test(line))
    ?.replace(/^.*?(FATAL|PANIC):\s*/, '');
}

/** Returns the URL of a database on a local server; by default TARSy's. */
export function urlOf(
  { port, password }: { port: number; password: string },
  database: string = DATABASE,
): string {
  return `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`;
}

async function ensureDatabase(options: ServerOptions): Promise<void> {
  try {
    await query(urlOf(options, DATABASE), 'SELECT 1');
  } catch (error) {
    if ((error as { code?: string }).code !== UNDEFINED_DATABASE) throw error;
    await query(urlOf(options, 'postgres'), `CREATE DATABASE ${DATABASE}`);
  }
}

async function query(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {}); // the query fails with it too
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
