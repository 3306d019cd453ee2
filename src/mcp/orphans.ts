import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { processesByVariable, processIdentity, signalIfThere } from '../machine/proc.ts';

/** Variable that marks what a server starts, which may have left its process group. */
export const MARK = 'TARSY_MCP_PROCESS';
/** Between looks for what a server left; a fork bomb is not looked for for ever. */
const LOOK_EVERY_MS = 15;
const MAX_LOOKS = 100;

/** A mark for one server, which says whose it is. */
export function newMark(): string {
  return `${processIdentity(process.pid) ?? 'unknown'}:${randomUUID()}`;
}

/** Marks whose processes are being ended: one look through the processes of the machine serves all of them. */
const sought = new Map<string, Sought>();

interface Sought {
  looks: number;
  /** Looks in a row that found nothing. */
  quiet: number;
  ended: PromiseWithResolvers<void>;
}

/**
 * Kills what carries the mark until nothing does. Looks twice at least: a process that is just being started shows no
 * environment, and a killed one is there for a moment.
 */
export function endMarked(mark: string): Promise<void> {
  if (sought.size === 0) setImmediate(() => void endSought());
  const seeking = sought.get(mark) ?? { looks: 0, quiet: 0, ended: Promise.withResolvers<void>() };
  sought.set(mark, seeking);
  return seeking.ended.promise;
}

async function endSought(): Promise<void> {
  while (sought.size > 0) {
    const now = [...sought]; // one that comes while we look may have been overlooked
    const found = await processesByVariable(MARK);
    for (const [mark, seeking] of now) {
      const pids = found.get(mark) ?? [];
      for (const pid of pids) signalIfThere(pid, 'SIGKILL');
      seeking.looks += 1;
      seeking.quiet = pids.length === 0 ? seeking.quiet + 1 : 0;
      if (seeking.quiet < 2 && seeking.looks < MAX_LOOKS) continue;
      sought.delete(mark);
      seeking.ended.resolve();
    }
    if (sought.size > 0) await delay(LOOK_EVERY_MS);
  }
}

/**
 * Ends servers whose TARSy is gone without having ended them, because it was killed. Those of one that runs are left
 * alone, and so are those of another container, whose processes cannot be told from here.
 */
export async function endLeftovers(logger: Logger): Promise<void> {
  const namespace = processIdentity(process.pid)?.split('-', 1)[0];
  const left = [...(await processesByVariable(MARK)).keys()].filter((mark) => {
    const owner = /^(\d+)-(\d+)-\d+(?=:)/.exec(mark);
    return owner?.[1] === namespace && processIdentity(Number(owner?.[2])) !== owner?.[0];
  });
  if (left.length > 0) logger.warn('processes of MCP servers that a killed TARSy left are ended');
  await Promise.all(left.map(endMarked));
}
