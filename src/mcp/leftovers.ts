import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { pidsWithVariable, processIdentity, signalIfThere, valuesOfVariable } from '../machine/proc.ts';

/** Variable that marks what a server starts, which may have left its process group. */
export const MARK = 'TARSY_MCP_PROCESS';
/** Between looks for what a server left; a fork bomb is not looked for for ever. */
const LOOK_EVERY_MS = 15;
const MAX_LOOKS = 100;

/** A mark for one server, which says whose it is. */
export function newMark(): string {
  return `${processIdentity(process.pid) ?? 'unknown'}:${randomUUID()}`;
}

/**
 * Kills what carries the mark until nothing does. Looks twice at least: a process that is just being started shows no
 * environment, and a killed one is there for a moment.
 */
export async function endMarked(mark: string): Promise<void> {
  for (let look = 1, quiet = 0; quiet < 2 && look <= MAX_LOOKS; look += 1) {
    const pids = pidsWithVariable(MARK, mark);
    for (const pid of pids) signalIfThere(pid, 'SIGKILL');
    quiet = pids.length === 0 ? quiet + 1 : 0;
    if (quiet < 2) await delay(LOOK_EVERY_MS);
  }
}

/**
 * Ends servers whose TARSy is gone without having ended them, because it was killed. Those of one that runs are left
 * alone, and so are those of another container, whose processes cannot be told from here.
 */
export async function endLeftovers(logger: Logger): Promise<void> {
  const namespace = processIdentity(process.pid)?.split('-', 1)[0];
  for (const mark of valuesOfVariable(MARK)) {
    const owner = /^(\d+)-(\d+)-\d+(?=:)/.exec(mark);
    if (owner === null || owner[1] !== namespace) continue;
    if (processIdentity(Number(owner[2])) === owner[0]) continue;
    logger.warn('processes of MCP servers that a killed TARSy left are ended');
    await endMarked(mark);
  }
}
