import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { processesByVariable, processIdentity, signalIfThere } from '../machine/proc.ts';

/** Environment variable that identifies a server's processes, even those that left its process group. */
export const MARK_VARIABLE = 'TARSY_MCP_PROCESS';
/** Time between scans (ms). A scan takes up to 2 ms of processor time, and few wait for it. */
const SCAN_INTERVAL_MS = 200;
/** Maximum number of scans per mark, because a fork bomb starts processes without end. */
const MAX_SCANS = 100;

/** This process, which starts all marked servers. */
const owner = processIdentity(process.pid) ?? 'unknown';

export function createMark(): string {
  return `${owner}:${randomUUID()}`;
}

/** Unfinished kills by mark. They share each scan of the machine's processes. */
const pending = new Map<string, PendingKill>();

interface PendingKill {
  scans: number;
  emptyScans: number;
  done: PromiseWithResolvers<void>;
}

/** Kills all processes with the mark. Scans at least twice, because a starting process has no environment yet. */
export function killMarked(mark: string): Promise<void> {
  if (pending.size === 0) setImmediate(() => void killPending());
  const kill = pending.get(mark) ?? { scans: 0, emptyScans: 0, done: Promise.withResolvers<void>() };
  pending.set(mark, kill);
  return kill.done.promise;
}

async function killPending(): Promise<void> {
  while (pending.size > 0) {
    const current = [...pending]; // the scan may miss a mark that is added while it runs
    const found = await processesByVariable(MARK_VARIABLE);
    for (const [mark, kill] of current) {
      const pids = found.get(mark) ?? [];
      for (const pid of pids) signalIfThere(pid, 'SIGKILL');
      kill.scans += 1;
      kill.emptyScans = pids.length === 0 ? kill.emptyScans + 1 : 0;
      if (kill.emptyScans < 2 && kill.scans < MAX_SCANS) continue;
      pending.delete(mark);
      kill.done.resolve();
    }
    if (pending.size > 0) await delay(SCAN_INTERVAL_MS);
  }
}

/** Kills servers of TARSy processes that no longer run. Skips other containers, because their process ids differ. */
export async function killOrphans(logger: Logger): Promise<void> {
  const namespace = processIdentity(process.pid)?.split('-', 1)[0];
  const orphans = [...(await processesByVariable(MARK_VARIABLE)).keys()].filter((mark) => {
    const starter = /^(\d+)-(\d+)-\d+(?=:)/.exec(mark);
    return starter?.[1] === namespace && processIdentity(Number(starter?.[2])) !== starter?.[0];
  });
  if (orphans.length > 0) logger.warn('MCP servers of a killed TARSy ended');
  await Promise.all(orphans.map(killMarked));
}
