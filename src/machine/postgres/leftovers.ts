import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { isAlive, pidsWorkingIn, signalIfThere, untilNobodyWorksIn } from '../proc.ts';

/** A fast shutdown writes a checkpoint; after this long something is wrong and harder signals follow. */
const FAST_SHUTDOWN_MS = 30_000;
/** Crash recovery at the next start repairs what these two leave. */
const IMMEDIATE_SHUTDOWN_MS = 5_000;
const KILL_MS = 5_000;
/** Backends notice the death of their postmaster by themselves, nearly at once unless they compute. */
const ORPHANED_BACKENDS_MS = 2_000;

const POSTGRES = 'postgres';

/** What postmaster.pid says: line 1 the process, line 4 the port, line 8 the state. */
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
 * Stops what an earlier life of ours left running on the data, and removes a pid file that would keep PostgreSQL from
 * starting. To be called only while holding the lock of the data home.
 *
 * A process is ours when it is a PostgreSQL that works in the data folder, as each of its processes does. The folder alone says
 * nothing, because somebody's shell may stand there, nor does the number in the pid file: numbers are given out again.
 */
export async function clearLeftovers(dataDir: string, logger: Logger): Promise<void> {
  const file = readPostmasterFile(dataDir);
  const ours = pidsWorkingIn(dataDir, POSTGRES);
  if (ours.length > 0) {
    const postmaster = file?.pid !== undefined && ours.includes(file.pid) ? file.pid : undefined;
    logger.info({ pid: postmaster }, 'stopping the PostgreSQL that an earlier run left behind');
    await stopAll(dataDir, postmaster);
  }
  const left = readPostmasterFile(dataDir);
  // A dead pid is PostgreSQL's to handle, with checks of its own (shared memory still in use) that we must not bypass.
  if (left && (left.pid === undefined || isAlive(left.pid))) {
    logger.info({ pid: left.pid }, 'removing a pid file of PostgreSQL that names a process of somebody else');
    rmSync(postmasterFile(dataDir), { force: true });
  }
}

async function stopAll(dataDir: string, postmaster: number | undefined): Promise<void> {
  if (postmaster !== undefined) {
    signalIfThere(postmaster, 'SIGINT');
    if (await untilNobodyWorksIn(dataDir, POSTGRES, FAST_SHUTDOWN_MS)) return;
    signalIfThere(postmaster, 'SIGQUIT');
    if (await untilNobodyWorksIn(dataDir, POSTGRES, IMMEDIATE_SHUTDOWN_MS)) return;
  } else if (await untilNobodyWorksIn(dataDir, POSTGRES, ORPHANED_BACKENDS_MS)) return;
  for (const pid of pidsWorkingIn(dataDir, POSTGRES)) signalIfThere(pid, 'SIGKILL');
  await untilNobodyWorksIn(dataDir, POSTGRES, KILL_MS);
}
