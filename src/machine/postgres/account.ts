import { spawnSync } from 'node:child_process';
import { chownSync, readFileSync, statSync } from 'node:fs';
import { MachineError } from '../errors.ts';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** Options for `spawn`; empty if the account is that of this process. */
  readonly spawn: { readonly uid?: number; readonly gid?: number };
}

const ACCOUNTS_FOR_ROOT = ['postgres', 'nobody'];

/**
 * Chooses the account that runs PostgreSQL, which refuses to run as root. An ordinary user's process uses that user.
 * For root, uses the owner of existing data, else `postgres`, else `nobody`.
 * @param dataDir existing data folder; undefined if there is none
 * @throws MachineError NO_ACCOUNT, DATA_OF_OTHER_USER
 */
export function chooseAccount(dataDir: string | undefined): Account {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  const owner = dataDir === undefined ? undefined : statSync(dataDir);
  const accounts = readAccounts();
  const nameOf = (id: number) => accounts.find((account) => account.uid === id)?.name ?? `uid ${id}`;
  if (uid !== 0) {
    if (owner && owner.uid !== uid) {
      throw new MachineError(
        'DATA_OF_OTHER_USER',
        `${dataDir} belongs to ${nameOf(owner.uid)}: start TARSy as the user who started it first, or set TARSY_HOME to another folder`,
      );
    }
    return { name: nameOf(uid), uid, gid, spawn: {} };
  }
  if (owner && owner.uid !== 0) return as({ name: nameOf(owner.uid), uid: owner.uid, gid: owner.gid });
  for (const name of ACCOUNTS_FOR_ROOT) {
    const found = accounts.find((account) => account.name === name && account.uid !== 0);
    if (found) return as(found);
  }
  throw new MachineError(
    'NO_ACCOUNT',
    'PostgreSQL cannot run as root and there is no account "postgres" or "nobody": start TARSy as an ordinary user, or set DATABASE_URL',
  );
}

/** True if the account can enter a folder. Tries it, because ACLs and mounts decide too, not only modes. */
export function canEnter(dir: string, account: Account): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', dir], { ...account.spawn, cwd: '/', stdio: 'ignore' })
      .status === 0
  );
}

export function giveTo(path: string, account: Account): void {
  if (account.spawn.uid !== undefined) chownSync(path, account.uid, account.gid);
}

function as(found: { name: string; uid: number; gid: number }): Account {
  return { ...found, spawn: { uid: found.uid, gid: found.gid } };
}

function readAccounts(): { name: string; uid: number; gid: number }[] {
  let text: string;
  try {
    text = readFileSync('/etc/passwd', 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}
