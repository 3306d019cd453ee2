import { type ManagedChild, spawnManaged } from '../child.ts';
import type { Account } from './account.ts';
import { postmasterFile } from './leftovers.ts';

/**
 * Waits for the end of its input, which comes when TARSy's process dies, and then stops the server. Compares the pid file
 * so that it never signals a later process with the same id. Arguments: pid, pid file, signal, folder to remove or ''.
 */
const SCRIPT = `
while read -r _; do :; done
read -r now < "$2"
[ "$now" = "$1" ] && kill -s "$3" "$1"
[ -n "$4" ] || exit 0
while kill -0 "$1"; do sleep 0.1; done
rm -rf "$4"
`;

export interface GuardianOptions {
  readonly pid: number;
  readonly dataDir: string;
  readonly account: Account;
  /** INT shuts down cleanly, QUIT at once. */
  readonly signal: 'INT' | 'QUIT';
  /** Folder to remove after the server has ended. */
  readonly remove?: string;
}

/** Starts a shell that stops PostgreSQL if this process ends without doing so (kill -9). */
export function startGuardian(options: GuardianOptions): ManagedChild {
  const { pid, dataDir, account, signal, remove = '' } = options;
  return spawnManaged('/bin/sh', ['-c', SCRIPT, 'sh', String(pid), postmasterFile(dataDir), signal, remove], {
    ...account.spawn,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}
