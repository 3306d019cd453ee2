import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { MachineError } from '../errors.ts';
import { type Account, giveTo } from './account.ts';
import type { Binaries } from './binaries.ts';

/** Superuser of the embedded server; its database has the same name. */
export const ROLE = 'tarsy';
export const DATABASE = 'tarsy';

const PASSWORD_FILE = 'tarsy.password';
const PASSWORD_BYTES = 24;

/** Allows only logins with password over loopback TCP, because other local accounts must not have access. */
const INITDB_ARGS = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--auth-host=scram-sha-256',
  '--auth-local=reject',
  `--username=${ROLE}`,
  '--no-instructions',
];

export interface ClusterOptions {
  readonly binaries: Binaries;
  readonly account: Account;
  readonly dataDir: string;
  readonly durable: boolean;
}

/**
 * Creates an empty cluster with a random password. If this process is killed meanwhile, only a folder with a temporary
 * name remains, which the next call removes.
 * @throws MachineError INITDB_FAILED
 */
export async function createCluster(options: ClusterOptions): Promise<void> {
  const { dataDir, account } = options;
  removeLeftovers(dataDir);
  const staging = mkdtempSync(`${dataDir}.new-`);
  try {
    const password = join(staging, 'password');
    writeFileSync(password, randomBytes(PASSWORD_BYTES).toString('hex'), { mode: 0o600, flush: true });
    giveTo(password, account);
    giveTo(staging, account);
    const made = join(staging, 'data');
    await initdb(options, made, password);
    renameSync(password, join(made, PASSWORD_FILE));
    syncFolder(made);
    renameSync(made, dataDir);
    syncFolder(dirname(dataDir));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** @throws MachineError FOREIGN_DATA */
export function readPassword(dataDir: string): string {
  const path = join(dataDir, PASSWORD_FILE);
  if (!existsSync(path)) {
    throw new MachineError(
      'FOREIGN_DATA',
      `${dataDir} is a database that TARSy did not create: set TARSY_HOME to another folder, or DATABASE_URL to its server`,
    );
  }
  return readFileSync(path, 'utf8').trim();
}

/** Environment of PostgreSQL's programs, without this process's secrets and PG* variables. */
export const CLEAN_ENV: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };

async function initdb(options: ClusterOptions, made: string, password: string): Promise<void> {
  const { binaries, account, durable } = options;
  const args = [
    ...INITDB_ARGS,
    `--pgdata=${made}`,
    `--pwfile=${password}`,
    ...(durable ? [] : ['--no-sync']),
  ];
  const child = spawn(binaries.initdb, args, {
    ...account.spawn,
    cwd: dirname(made),
    env: CLEAN_ENV,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [code, complaint] = await Promise.all([ended, text(child.stderr)]);
  if (code === 0) return;
  const line = complaint.split('\n').find((candidate) => /error|fatal|cannot|could not/i.test(candidate));
  throw new MachineError('INITDB_FAILED', `initdb failed: ${line?.trim() ?? `exit code ${code}`}`);
}

function removeLeftovers(dataDir: string): void {
  const prefix = `${basename(dataDir)}.new-`;
  for (const name of readdirSync(dirname(dataDir))) {
    if (!name.startsWith(prefix)) continue;
    try {
      rmSync(join(dirname(dataDir), name), { recursive: true, force: true });
    } catch {
      // An initdb that outlived its parent may still write there. The next call tries again.
    }
  }
}

function syncFolder(dir: string): void {
  const fd = openSync(dir, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
