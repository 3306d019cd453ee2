import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { isAlive, pidsWorkingIn, signalIfThere, untilNoneWorksIn } from '../proc.ts';

/** Time limits (ms) of the ways to stop a server, in order. A fast shutdown is slow, because it writes a checkpoint. */
const FAST_SHUTDOWN_MS = 30_000;
const IMMEDIATE_SHUTDOWN_MS = 5_000;
const KILL_MS = 5_000;
/**
 * Time (ms) for server processes without their postmaster to exit. They notice its end at once, unless they compute.
 */
const ORPHANED_BACKENDS_MS = 2_000;

const POSTGRES = 'postgres';

/** Contents of postmaster.pid: process (line 1), port (line 4) and state (line 8). */
export interface PostmasterFile {
  readonly pid: number | undefined;
  readonly port: number;
  readonly state: string;
}

export function readPostmasterFile(dataDir: string): PostmasterFile | undefined {
  try {
    const lines = readFileSync(postmasterFile(dataDir), 'utf8').split('\n');
    const pid = Number(lines[0]);
    return {
      pid: Number.isInteger(pid) && pid > 0 ? pid : undefined,
      port: Number(lines[3]),
      state: lines[7]?.trim() ?? '',
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function postmasterFile(dataDir: string): string {
  return join(dataDir, 'postmaster.pid');
}

/**
 * Stops a PostgreSQL that an earlier run left on the data. Also removes a pid file that would keep a new server from
 * starting. Call it only while holding the lock of the data home.
 *
 * A process counts as left over if it is a PostgreSQL whose working directory is the data folder. The folder alone does
 * not suffice, because a user's shell may be there. Nor does the pid file, because process ids are reused.
 */
export async function clearLeftovers(dataDir: string, logger: Logger): Promise<void> {
  const file = readPostmasterFile(dataDir);
  const leftOver = pidsWorkingIn(dataDir, POSTGRES);
  if (leftOver.length > 0) {
    const postmaster = file?.pid !== undefined && leftOver.includes(file.pid) ? file.pid : undefined;
    logger.info({ pid: postmaster }, 'stopping PostgreSQL left behind by an earlier run');
    await stopAll(dataDir, postmaster);
  }
  const left = readPostmasterFile(dataDir);
  // If the file's process is dead, PostgreSQL itself removes the file after checks that must not be bypassed.
  if (left && (left.pid === undefined || isAlive(left.pid))) {
    logger.info({ pid: left.pid }, 'removing a PostgreSQL pid file that names an unrelated process');
    rmSync(postmasterFile(dataDir), { force: true });
  }
}

async function stopAll(dataDir: string, postmaster: number | undefined): Promise<void> {
  if (postmaster !== undefined) {
    signalIfThere(postmaster, 'SIGINT');
    if (await untilNoneWorksIn(dataDir, POSTGRES, FAST_SHUTDOWN_MS)) return;
    signalIfThere(postmaster, 'SIGQUIT');
    if (await untilNoneWorksIn(dataDir, POSTGRES, IMMEDIATE_SHUTDOWN_MS)) return;
  } else if (await untilNoneWorksIn(dataDir, POSTGRES, ORPHANED_BACKENDS_MS)) return;
  for (const pid of pidsWorkingIn(dataDir, POSTGRES)) signalIfThere(pid, 'SIGKILL');
  await untilNoneWorksIn(dataDir, POSTGRES, KILL_MS);
}
