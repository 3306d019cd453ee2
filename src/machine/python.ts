import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { MachineError } from './errors.ts';

const run = promisify(execFile);

export interface PythonInterpreter {
  readonly command: string;
  readonly version: string;
  /** True if it can make virtual environments, for which Debian has a package of its own. */
  readonly hasVenv: boolean;
}

const MIN_MINOR = 11;
/** Commands to try, in order. The unversioned name is first, because it is the operator's choice. */
const PYTHON_COMMANDS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];
const VERSION_PROGRAM = `import sys, importlib.util as u
print("%d.%d" % sys.version_info[:2], all(map(u.find_spec, ("venv", "ensurepip"))))`;
/** Time limit (ms) of one version check. A slow disk needs time, and a wrapper script may hang. */
const VERSION_LIMIT_MS = 20_000;

/**
 * Finds a Python ≥ 3.11: the command in PYTHON if set, else the first of `PYTHON_COMMANDS` that is new enough.
 * @throws MachineError PYTHON_MISSING, PYTHON_TOO_OLD
 */
export async function findPython(env: NodeJS.ProcessEnv = process.env): Promise<PythonInterpreter> {
  const commands = env.PYTHON ? [env.PYTHON] : PYTHON_COMMANDS;
  let tooOld: PythonInterpreter | undefined;
  for (const command of commands) {
    const found = await inspect(command, env);
    if (found === undefined) continue;
    const [major = 0, minor = 0] = found.version.split('.').map(Number);
    if (major > 3 || (major === 3 && minor >= MIN_MINOR)) return found;
    tooOld ??= found;
  }
  const mend = `run ${installCommand('python3 python3-venv')}, or set PYTHON to its path`;
  if (tooOld) {
    throw new MachineError(
      'PYTHON_TOO_OLD',
      `Python ≥ 3.${MIN_MINOR} is required, but ${tooOld.command} is ${tooOld.version}: ${mend}`,
    );
  }
  const what = env.PYTHON
    ? `PYTHON is set to ${env.PYTHON}, which does not run`
    : `Python ≥ 3.${MIN_MINOR} is missing`;
  throw new MachineError('PYTHON_MISSING', `${what}: ${mend}`);
}

/** Returns the version as `major.minor`; undefined if the interpreter does not run. */
export async function pythonVersion(command: string, env = process.env): Promise<string | undefined> {
  return (await inspect(command, env))?.version;
}

async function inspect(command: string, env: NodeJS.ProcessEnv): Promise<PythonInterpreter | undefined> {
  try {
    // -I and -S skip the user's settings and site packages, which only cost time here.
    const args = ['-I', '-S', '-c', VERSION_PROGRAM];
    const { stdout } = await run(command, args, { env, timeout: VERSION_LIMIT_MS });
    const [, version, hasVenv] = /^(\d+\.\d+)(?: (True|False))?$/.exec(stdout.trim()) ?? [];
    return version === undefined ? undefined : { command, version, hasVenv: hasVenv !== 'False' };
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
