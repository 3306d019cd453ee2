import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { MachineError } from '../errors.ts';
import { type Account, canEnter, chooseAccount } from './account.ts';

export interface Place {
  readonly dir: string;
  readonly dataDir: string;
  readonly account: Account;
}

const DATA = 'postgres';
/** Parent folders for data outside of TARSY_HOME. Not /tmp, because many systems empty it at boot. */
const FALLBACK_PARENTS = ['/var/lib', '/var/tmp'];
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Chooses the data folder: existing data first, then the data home. For root, another folder may be used, because
 * PostgreSQL's account usually cannot enter /root. The data home then contains a link to it.
 * @param home absolute path of the data home, which exists
 * @throws MachineError NO_ACCOUNT, DATA_OF_OTHER_USER, DATA_UNREACHABLE
 */
export function choosePlace(home: string, logger: Logger): Place {
  const root = process.getuid?.() === 0;
  const candidates = root ? [home, ...fallbacks(home)] : [home];
  const existing = candidates.map((dir) => join(dir, DATA)).find(isCluster);
  if (existing !== undefined) return existingPlace(existing, home, logger);

  const account = chooseAccount(undefined);
  for (const dir of candidates) {
    if (dir !== home && !makePrivateToRoot(dir)) continue;
    if (account.spawn.uid !== undefined && !canEnter(dir, account)) continue;
    const place = { dir, dataDir: join(dir, DATA), account };
    setAside(place.dataDir, logger);
    if (dir !== home) link(home, place.dataDir, logger, account);
    return place;
  }
  throw new MachineError(
    'DATA_UNREACHABLE',
    `no folder for the database that the account ${account.name} can enter: set TARSY_HOME to one, or set DATABASE_URL`,
  );
}

function existingPlace(found: string, home: string, logger: Logger): Place {
  const dataDir = realpathSync(found);
  const dir = dirname(dataDir);
  const account = chooseAccount(dataDir);
  if (account.spawn.uid !== undefined && !canEnter(dataDir, account)) {
    throw new MachineError(
      'DATA_UNREACHABLE',
      `PostgreSQL runs as ${account.name}, which cannot enter ${dataDir}: run chmod o+x on each folder above it`,
    );
  }
  if (dir !== realpathSync(home)) link(home, dataDir, logger, account);
  return { dir, dataDir, account };
}

/** True for a complete cluster, and for a folder of another account, because this account cannot look inside. */
function isCluster(dataDir: string): boolean {
  if (existsSync(join(dataDir, 'PG_VERSION'))) return true;
  const uid = process.getuid?.() ?? 0;
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid;
  return uid !== 0 && owner !== undefined && owner !== uid;
}

function fallbacks(home: string): string[] {
  const name = `tarsy-${createHash('sha256').update(home).digest('hex').slice(0, 12)}`;
  return FALLBACK_PARENTS.map((parent) => join(parent, name)).filter(isPrivateToRootOrMissing);
}

/** False for a folder that another account owns or can write, because that account may have created it in advance. */
function isPrivateToRootOrMissing(dir: string): boolean {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  return (
    stat === undefined || (stat.isDirectory() && stat.uid === 0 && (stat.mode & WRITABLE_BY_OTHERS) === 0)
  );
}

function makePrivateToRoot(dir: string): boolean {
  try {
    const previous = process.umask(0o022);
    try {
      mkdirSync(dir, { recursive: true, mode: 0o755 });
    } finally {
      process.umask(previous);
    }
    return isPrivateToRootOrMissing(dir);
  } catch {
    return false;
  }
}

/** Frees the data folder's name: removes a link or an empty folder, and renames anything else. */
function setAside(dataDir: string, logger: Logger): void {
  const stat = lstatSync(dataDir, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isSymbolicLink()) {
    rmSync(dataDir);
  } else if (stat.isDirectory() && readdirSync(dataDir).length === 0) {
    rmdirSync(dataDir);
  } else {
    const aside = `${dataDir}.incomplete-${Date.now()}`;
    renameSync(dataDir, aside);
    logger.warn({ path: aside }, 'database folder was incomplete, moved it aside');
  }
}

function link(home: string, dataDir: string, logger: Logger, account: Account): void {
  const path = join(home, DATA);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    if (existsSync(path) && realpathSync(path) === dataDir) return;
    rmSync(path);
  }
  setAside(path, logger);
  symlinkSync(dataDir, path);
  logger.info(
    { path: dataDir, account: account.name },
    'database kept outside TARSY_HOME, because the account of PostgreSQL cannot enter it',
  );
}
