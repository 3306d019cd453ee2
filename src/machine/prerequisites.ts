import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MachineError } from './errors.ts';
import { ensureHome } from './home.ts';
import { venvMissing } from './pip-errors.ts';
import { chooseAccount } from './postgres/account.ts';
import { binariesPackage, locateBinaries } from './postgres/binaries.ts';
import { readPassword } from './postgres/cluster.ts';
import { checkProxy } from './proxy.ts';
import { findPython } from './python.ts';
import { isPythonEnvInstalled } from './python-env.ts';

const MIB = 1024 * 1024;
/** Free space (MiB) that the first start needs, which writes 220 MiB, and that every start needs. */
const INSTALL_MIB = 400;
const RUN_MIB = 50;

/** Folders of the data home. */
const FOLDERS = ['cache', 'logs', 'postgres', 'python'];

/** Checks the machine before anything is started. Returns all problems found. */
export async function checkPrerequisites(wanted: {
  readonly home: string;
  readonly embeddedPostgres: boolean;
  /** Folder of the LLM service whose Python packages are needed; `null` if that service runs elsewhere. */
  readonly serviceDir: string | null;
  readonly env?: NodeJS.ProcessEnv;
}): Promise<MachineError[]> {
  const { home, embeddedPostgres, serviceDir, env = process.env } = wanted;
  const installs = serviceDir !== null && !isPythonEnvInstalled({ home, serviceDir, env });
  const found = await Promise.allSettled([
    Promise.try(checkHome, home, installs),
    embeddedPostgres ? Promise.try(checkEmbeddedPostgres) : undefined,
    embeddedPostgres ? Promise.try(checkData, home) : undefined,
    serviceDir === null ? undefined : checkPython(env, installs),
    installs ? checkProxy(env) : undefined,
  ]);
  return found.flatMap((result) => {
    if (result.status === 'fulfilled') return [];
    if (result.reason instanceof MachineError) return [result.reason];
    throw result.reason;
  });
}

function checkHome(home: string, installs: boolean): void {
  try {
    accessSync(ensureHome(home), constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new MachineError(
      'HOME_NOT_WRITABLE',
      `The data folder ${home} cannot be written (${why}): run chown -R "$(id -u)" '${home}', or set TARSY_HOME to another folder`,
      { cause: error },
    );
  }
  const wrong = FOLDERS.map((name) => join(home, name)).find(isNoFolder);
  if (wrong !== undefined)
    throw new MachineError(
      'HOME_BROKEN',
      `${wrong} is not a folder: move it away, so that TARSy can create one`,
    );
  const { bavail, bsize } = statfsSync(home);
  const [free, needed] = [Math.floor((bavail * bsize) / MIB), installs ? INSTALL_MIB : RUN_MIB];
  if (free >= needed) return;
  throw new MachineError(
    'HOME_FULL',
    `The disk of the data folder ${home} has ${free} MiB free, but ${needed} are required: free space, or set TARSY_HOME to a folder on another disk`,
  );
}

function isNoFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
}

/** Refuses data that PostgreSQL could not use. @throws MachineError DATA_OF_OTHER_USER, NO_ACCOUNT, FOREIGN_DATA */
function checkData(home: string): void {
  const dataDir = join(home, 'postgres');
  if (!existsSync(dataDir)) return;
  chooseAccount(dataDir);
  if (existsSync(join(dataDir, 'PG_VERSION'))) readPassword(dataDir);
}

async function checkPython(env: NodeJS.ProcessEnv, installs: boolean): Promise<void> {
  const interpreter = await findPython(env);
  if (installs && !interpreter.hasVenv) throw venvMissing(interpreter);
}

export function checkEmbeddedPostgres(platform: string = process.platform, arch: string = process.arch) {
  if (binariesPackage(platform, arch) !== undefined) {
    if (platform === process.platform && arch === process.arch) locateBinaries();
    return;
  }
  throw new MachineError(
    'NO_EMBEDDED_POSTGRES',
    `There is no embedded PostgreSQL for ${platform} ${arch}: run export DATABASE_URL=postgres://user:password@host:5432/database with a server of your own`,
  );
}
