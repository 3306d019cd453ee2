import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Folder mode that lets other accounts pass through, because root runs PostgreSQL as another account. */
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
    // Undoes a strict umask, which would shut out PostgreSQL's account, for the folders just created.
    for (let dir = absolute; dir.length >= topmost.length; dir = dirname(dir)) chmodSync(dir, WALKABLE);
  }
  return absolute;
}
