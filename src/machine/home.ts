import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Others may walk through, so that root's PostgreSQL, which cannot run as root, reaches its data inside. */
const WALKABLE = 0o755;

/**
 * Makes the data home (TARSY_HOME) when it is missing.
 * @returns its absolute path.
 * @throws the system's error when it cannot be made.
 */
export function ensureHome(home: string): string {
  const absolute = resolve(home);
  const topmost = mkdirSync(absolute, { recursive: true });
  if (topmost !== undefined && process.getuid?.() === 0) {
    // A strict umask would shut out the account that PostgreSQL runs as; only what was just made is changed.
    for (let dir = absolute; dir.length >= topmost.length; dir = dirname(dir)) chmodSync(dir, WALKABLE);
  }
  return absolute;
}
