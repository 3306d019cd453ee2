import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type ManagedChild, type StopStep, spawnManaged } from '../child.ts';
import { MachineError } from '../errors.ts';
import type { Running } from '../supervise.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { CLEAN_ENV, DATABASE, ROLE } from './cluster.ts';
import { postmasterFile, readPostmasterFile } from './leftovers.ts';
import type { LogFile } from './log-file.ts';

/** Time (ms) until ready; crash recovery may take minutes. */
const READY_LIMIT_MS = 300_000;
const READY_POLL_MS = 15;
const UNDEFINED_DATABASE = '3D000';

/** First a fast shutdown, then an immediate one (the next start runs recovery), then a kill. */
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
  readonly settings: Readonly<Record<string, string>>;
  readonly temporaryDir?: string;
}

const COMMON_SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // Small, because the server shares the machine with TARSy and other programs.
  shared_buffers: '128MB',
  // Enough for the pools of the API and of each worker; unused slots cost nothing.
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  // Error details and statements contain values, and alert text does not belong in logs.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

/**
 * Starts a server on a cluster. Resolves when it answers and TARSy's database exists.
 * @throws MachineError START_FAILED with the server's own message, or the signal's reason
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
    // A separate process group, so that Ctrl-C reaches only this process, which then stops its children in order.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server.process.stderr?.on('data', (chunk: Buffer) => log.write(chunk));
  const { pid } = server.process;
  const guardian = pid === undefined ? undefined : startGuardian(pid, options);
  // Stops the guardian when the server ends, because the server's process id may be reused afterwards.
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
    if (signal.aborted || error instanceof MachineError) throw error;
    throw new MachineError('START_FAILED', 'PostgreSQL started but cannot be used', { cause: error });
  }
  return { value: { url }, exited, stop };
}

/** Stops server $1 (pid file $2) by signal $3 when its input closes. Then deletes folder $4; '' = no folder. */
const GUARDIAN = `
while read -r _; do :; done
read -r now < "$2"
[ "$now" = "$1" ] && kill -s "$3" "$1"
[ -n "$4" ] || exit 0
while kill -0 "$1"; do sleep 0.1; done
rm -rf "$4"
`;

function startGuardian(pid: number, { dataDir, account, temporaryDir }: ServerOptions): ManagedChild {
  // INT shuts a durable server down cleanly. QUIT stops a temporary one at once, because its data is deleted.
  const signal = temporaryDir === undefined ? 'INT' : 'QUIT';
  const args = [String(pid), postmasterFile(dataDir), signal, temporaryDir ?? ''];
  return spawnManaged('/bin/sh', ['-c', GUARDIAN, 'sh', ...args], {
    ...account.spawn,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
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
      throw new MachineError('START_FAILED', `PostgreSQL did not start: ${complaint(log) ?? ended}`);
    }
    if (performance.now() > deadline) {
      throw new MachineError('START_FAILED', `PostgreSQL was not ready after ${READY_LIMIT_MS / 1000} s`);
    }
  }
}

export function isPortTaken(log: LogFile): boolean {
  return /could not bind .*Address already in use/.test(log.tail());
}

function serverArgs({ dataDir, port, settings }: ServerOptions): string[] {
  const all = { ...COMMON_SETTINGS, ...settings };
  const flags = Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  return ['-D', dataDir, '-p', String(port), ...flags];
}

function complaint(log: LogFile): string | undefined {
  const line = log
    .tail()
    .split('\n')
    .findLast((each) => /FATAL|PANIC|error while loading/.test(each));
  return line?.replace(/^.*?(FATAL|PANIC):\s*/, '');
}

/** Returns the URL of a database, with TLS off, because PGSSLMODE would otherwise demand it. */
export function urlOf(
  { port, password }: { port: number; password: string },
  database: string = DATABASE,
): string {
  return `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`;
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
  client.on('error', () => {}); // the query below fails with the same error
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
