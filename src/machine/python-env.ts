import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { spawnManaged } from './child.ts';
import type { MachineError } from './errors.ts';
import { ensureHome } from './home.ts';
import { forEachLine } from './lines.ts';
import { pipProblem, venvProblem } from './pip-errors.ts';
import { signalIfThere } from './proc.ts';
import { findPython, pythonVersion } from './python.ts';

export interface PythonEnvOptions {
  readonly home: string;
  readonly name?: string;
  readonly serviceDir: string;
  readonly lockFile?: string;
  readonly logger: Logger;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

/** Names the environment in use. Written last, so an environment without a stamp is incomplete. */
interface Stamp {
  readonly dir: string;
  readonly lockHash: string;
  readonly version: string;
  readonly wanted: string;
}

const STAMP_FILE = 'current.json';

const MAX_OUTPUT_CHARS = 100_000;

/**
 * Installs the packages of requirements.lock for the Python service into a virtual environment, unless one is up to
 * date. Each environment has a new name, because a venv cannot be moved, and because an installation whose parent was
 * killed must not write into the next one. Call it while holding the instance lock.
 * @returns path of the environment's interpreter
 * @throws MachineError
 */
export async function ensurePythonEnv(options: PythonEnvOptions): Promise<{ python: string }> {
  const { home, name = 'python', logger, env = process.env } = options;
  const root = join(ensureHome(home), name);
  mkdirSync(root, { recursive: true });
  const { requirements, lockHash, wanted, stamp, matches } = compare(root, options);
  if (stamp && matches) {
    const python = interpreterOf(root, stamp.dir);
    // Runs the interpreter, because an upgrade of the system's Python can break an environment that looks complete.
    if ((await pythonVersion(python, env)) === stamp.version) return { python };
  }

  const interpreter = await findPython(env);
  const { command, version } = interpreter;
  const what = { python: version, lock: basename(requirements) };
  logger.info(what, 'installing Python packages of the LLM service (once, about a minute)');
  const startedAt = performance.now();
  removeAllBut(root, stamp?.dir);
  const dir = basename(mkdtempSync(join(root, 'env-')));
  const python = interpreterOf(root, dir);
  try {
    const venv = ['-m', 'venv', join(root, dir)];
    await step(command, venv, options, (output) => venvProblem(output, interpreter));
    await step(python, [...PIP_INSTALL, requirements], options, pipProblem);
  } catch (error) {
    rmSync(join(root, dir), { recursive: true, force: true });
    throw error;
  }
  const current = join(root, STAMP_FILE);
  writeFileSync(`${current}.new`, JSON.stringify({ dir, lockHash, version, wanted }), { flush: true });
  renameSync(`${current}.new`, current);
  removeAllBut(root, dir);
  logger.info({ seconds: Math.round((performance.now() - startedAt) / 1000) }, 'Python packages installed');
  return { python };
}

/** True if the packages are installed. Does not run the environment's interpreter. */
export function isPythonEnvInstalled(
  options: Pick<PythonEnvOptions, 'home' | 'serviceDir' | 'env'>,
): boolean {
  return compare(join(resolve(options.home), 'python'), options).matches;
}

/** Compares the environment in `root` with what is wanted. */
function compare(
  root: string,
  { serviceDir, lockFile = 'requirements.lock', env = process.env }: Omit<PythonEnvOptions, 'logger'>,
) {
  const requirements = join(resolve(serviceDir), lockFile);
  const lockHash = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const wanted = env.PYTHON ?? '';
  const stamp = readStamp(root);
  return {
    requirements,
    lockHash,
    wanted,
    stamp,
    matches: stamp?.lockHash === lockHash && stamp.wanted === wanted,
  };
}

/**
 * Installs without dependencies (--no-deps), because the lock file lists every package with its version and hash. Never
 * builds a package (--only-binary), because a build runs the package's code and fetches build tools without a hash.
 */
const PIP_INSTALL =
  '-m pip install --quiet --disable-pip-version-check --no-input --no-deps --require-hashes --only-binary :all: --requirement'.split(
    ' ',
  );

async function step(
  command: string,
  args: readonly string[],
  { env = process.env, signal }: PythonEnvOptions,
  problem: (output: string) => MachineError,
): Promise<void> {
  signal?.throwIfAborted();
  // A process group of its own, so that `abort` also ends what the command has started.
  const child = spawnManaged(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (line: string) => {
    output = `${output}${line}\n`.slice(-MAX_OUTPUT_CHARS);
  };
  for (const stream of [child.process.stdout, child.process.stderr]) if (stream) forEachLine(stream, keep);
  const abort = () => {
    if (child.process.pid !== undefined) signalIfThere(-child.process.pid, 'SIGTERM');
  };
  signal?.addEventListener('abort', abort, { once: true });
  const ended = await child.exited;
  await child.drained;
  signal?.removeEventListener('abort', abort);
  signal?.throwIfAborted();
  if (ended !== 'exit code 0') throw problem(output || ended);
}

function interpreterOf(root: string, dir: string): string {
  return join(root, dir, 'bin', 'python');
}

function readStamp(root: string): Stamp | undefined {
  try {
    return JSON.parse(readFileSync(join(root, STAMP_FILE), 'utf8')) as Stamp;
  } catch {
    return undefined;
  }
}

function removeAllBut(root: string, keep: string | undefined): void {
  for (const name of readdirSync(root)) {
    if (!name.startsWith('env-') || name === keep) continue;
    try {
      rmSync(join(root, name), { recursive: true, force: true });
    } catch {
      // An installation that outlived its parent may still write there. A later call tries again.
    }
  }
}
