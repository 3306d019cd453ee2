import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { MachineError } from './errors.ts';
import { ensureHome } from './home.ts';
import { binariesPackage } from './postgres/binaries.ts';

const run = promisify(execFile);

export interface PythonInterpreter {
  readonly command: string;
  readonly version: string;
}

const MIN_MINOR = 11;
/** Commands to try, in order. The unversioned name is first, because it is the operator's choice. */
const PYTHON_COMMANDS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];
const VERSION_PROGRAM = 'import sys; print("%d.%d" % sys.version_info[:2])';
/** Time limit (ms) of one version check. A slow disk needs time, and a wrapper script may hang. */
const VERSION_LIMIT_MS = 20_000;

/** Checks the machine before anything is started. Returns all problems found. */
export async function checkPrerequisites(wanted: {
  readonly home: string;
  readonly embeddedPostgres: boolean;
  readonly llmService: boolean;
  readonly env?: NodeJS.ProcessEnv;
}): Promise<MachineError[]> {
  const found = await Promise.allSettled([
    Promise.try(checkHome, wanted.home),
    wanted.embeddedPostgres ? Promise.try(checkEmbeddedPostgres) : undefined,
    wanted.llmService ? findPython(wanted.env) : undefined,
  ]);
  return found.flatMap((result) => {
    if (result.status === 'fulfilled') return [];
    if (result.reason instanceof MachineError) return [result.reason];
    throw result.reason;
  });
}

function checkHome(home: string): void {
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
}

export function checkEmbeddedPostgres(platform: string = process.platform, arch: string = process.arch) {
  if (binariesPackage(platform, arch) !== undefined) return;
  throw new MachineError(
    'NO_EMBEDDED_POSTGRES',
    `There is no embedded PostgreSQL for ${platform} ${arch}: run export DATABASE_URL=postgres://user:password@host:5432/database with a server of your own`,
  );
}

/**
 * Finds a Python ≥ 3.11: the command in PYTHON if set, else the first of `PYTHON_COMMANDS` that is new enough.
 * @throws MachineError PYTHON_MISSING, PYTHON_TOO_OLD
 */
export async function findPython(env: NodeJS.ProcessEnv = process.env): Promise<PythonInterpreter> {
  const commands = env.PYTHON ? [env.PYTHON] : PYTHON_COMMANDS;
  let tooOld: PythonInterpreter | undefined;
  for (const command of commands) {
    const version = await pythonVersion(command, env);
    if (version === undefined) continue;
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major > 3 || (major === 3 && minor >= MIN_MINOR)) return { command, version };
    tooOld ??= { command, version };
  }
  const mend = `run ${installCommand('python3 python3-venv')}, or set PYTHON to its path`;
  if (tooOld) {
    throw new MachineError(
      'PYTHON_TOO_OLD',
      `Python ≥ 3.${MIN_MINOR} is needed and ${tooOld.command} is ${tooOld.version}: ${mend}`,
    );
  }
  const what = env.PYTHON
    ? `PYTHON is set to ${env.PYTHON}, which does not run`
    : `Python ≥ 3.${MIN_MINOR} is missing`;
  throw new MachineError('PYTHON_MISSING', `${what}: ${mend}`);
}

/** Returns the version as `major.minor`; undefined if the interpreter does not run. */
export async function pythonVersion(command: string, env = process.env): Promise<string | undefined> {
  try {
    // -I and -S skip the user's settings and site packages, which only cost time here.
    const args = ['-I', '-S', '-c', VERSION_PROGRAM];
    const { stdout } = await run(command, args, { env, timeout: VERSION_LIMIT_MS });
    return /^\d+\.\d+$/.test(stdout.trim()) ? stdout.trim() : undefined;
  } catch {
    return undefined;
  }
}

/** Returns this machine's install command. Non-Debian systems ignore the names, because their Python includes venv. */
export function installCommand(debianPackages: string): string {
  const sudo = process.getuid?.() === 0 ? '' : 'sudo ';
  if (existsSync('/usr/bin/apt-get')) return `${sudo}apt-get install -y ${debianPackages}`;
  if (existsSync('/usr/bin/dnf')) return `${sudo}dnf install -y python3.12`;
  if (existsSync('/sbin/apk')) return `${sudo}apk add python3`;
  if (process.platform === 'darwin') return 'brew install python@3.13';
  return 'your package manager to install Python 3 with its venv module';
}
