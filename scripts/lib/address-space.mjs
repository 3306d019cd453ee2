import { readFileSync } from 'node:fs';

/** Address space (MiB) that a process needs (`ulimit -v`). With less, Node ends with an error of its own. */
const NEEDED_MIB = 2048;
const MIB = 1024 * 1024;

/**
 * Returns what is wrong with the limit of this process's address space, or `null`.
 * @param {string} limits content of /proc/self/limits
 */
export function addressSpaceProblem(limits = readLimits()) {
  const limit = Number(/^Max address space\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  if (limit >= NEEDED_MIB * MIB) return null;
  return `The address space of this shell is limited to ${Math.floor(limit / MIB)} MiB and TARSy needs ${NEEDED_MIB}: run ulimit -v unlimited`;
}

function readLimits() {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return ''; // no Linux
  }
}
