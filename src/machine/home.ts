import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Lets other accounts pass through, because a PostgreSQL started by root runs as another account. */
const WALKABLE = 0o755;

/**
 * Creates the data home (TARSY_HOME) if it is missing.
 * @returns its absolute path
 * @throws the system's error if it cannot be created
 */
export function ensureHome(home: string): string {
  const absolute = resolve(home);
  const topmost = mkdirSync(absolute, { recursive: true });
  if (topmost !== undefined && process.getuid?.() === 0) {
    // A strict umask would shut out PostgreSQL's account; only folders that were just created are changed.
    for (let dir = absolute; dir.length >= topmost.length; dir = dirname(dir)) chmodSync(dir, WALKABLE);
  }
  return absolute;
}
