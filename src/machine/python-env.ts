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
import { ensureHome } from './home.ts';
import { forEachLine } from './lines.ts';
import { pipProblem, venvProblem } from './pip-errors.ts';
import { findPython, type PrerequisiteError, pythonVersion } from './prerequisites.ts';

export interface PythonEnvOptions {
  /** TARSY_HOME; environments live in a folder of their own below it. */
  readonly home: string;
  /** Name of that folder. */
  readonly name?: string;
  /** Folder of the Python service, with its requirements.lock. */
  readonly serviceDir: string;
  /** Its lock file with the packages to install. */
  readonly lockFile?: string;
  readonly logger: Logger;
  readonly env?: NodeJS.ProcessEnv;
  /** Fires to give up an installation that runs. */
  readonly signal?: AbortSignal;
}

/** Which environment is in use, and what it was made from. Written last: without it an environment does not count. */
interface Stamp {
  readonly dir: string;
  readonly lockHash: string;
  readonly version: string;
  /** Value of PYTHON when it was made. */
  readonly wanted: string;
}

/** What pip and venv write in a failure is short; this bounds a runaway. */
const MAX_OUTPUT_CHARS = 100_000;

/**
 * Makes sure that the packages of requirements.lock are installed for the Python service, in an environment of its own.
 * Each one is built under a new name, because a venv cannot be moved and because an installation that outlived its
 * killed parent must not write into its successor's.
 * To be called while holding the instance lock.
 * @returns path of the environment's interpreter.
 * @throws PrerequisiteError
 */
export async function ensurePythonEnv(options: PythonEnvOptions): Promise<{ python: string }> {
  const { home, serviceDir, logger, env = process.env } = options;
  const { name = 'python', lockFile = 'requirements.lock' } = options;
  const root = join(ensureHome(home), name);
  mkdirSync(root, { recursive: true });
  const requirements = join(resolve(serviceDir), lockFile);
  const lockHash = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const wanted = env.PYTHON ?? '';

  const stamp = readStamp(root);
  if (stamp && stamp.lockHash === lockHash && stamp.wanted === wanted) {
    const python = interpreterOf(root, stamp.dir);
    // Asked by running it: an upgrade of the system's Python leaves an environment that looks whole and is not.
    if ((await pythonVersion(python, env)) === stamp.version) return { python };
  }

  const interpreter = await findPython(env);
  const { command, version } = interpreter;
  logger.info(
    { python: version },
    'installing the Python packages of the LLM service (first start only, about a minute)',
  );
  const startedAt = performance.now();
  removeAllBut(root, stamp?.dir);
  const dir = basename(mkdtempSync(join(root, 'env-')));
  const python = interpreterOf(root, dir);
  try {
    await step(command, ['-m', 'venv', join(root, dir)], options, (output) =>
      venvProblem(output, interpreter),
    );
    await step(python, [...PIP_INSTALL, requirements], options, pipProblem);
  } catch (error) {
    rmSync(join(root, dir), { recursive: true, force: true });
    throw error;
  }
  writeStamp(root, { dir, lockHash, version, wanted });
  removeAllBut(root, dir);
  logger.info(
    { seconds: Math.round((performance.now() - startedAt) / 1000) },
    'the Python packages are installed',
  );
  return { python };
}

/** A lock lists all that is needed: were pip to look for needs itself, a release newer than the pin could break it. */
const PIP_INSTALL = [
  '-m',
  'pip',
  'install',
  '--quiet',
  '--disable-pip-version-check',
  '--no-input',
  '--no-deps',
  '--require-hashes',
  '--requirement',
];

async function step(
  command: string,
  args: readonly string[],
  { env = process.env, signal }: PythonEnvOptions,
  problem: (output: string) => PrerequisiteError,
): Promise<void> {
  signal?.throwIfAborted();
  const child = spawnManaged(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (line: string) => {
    output = `${output}${line}\n`.slice(-MAX_OUTPUT_CHARS);
  };
  if (child.process.stdout) forEachLine(child.process.stdout, keep);
  if (child.process.stderr) forEachLine(child.process.stderr, keep);
  const abort = () => child.process.kill('SIGTERM');
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
    return JSON.parse(readFileSync(join(root, 'current.json'), 'utf8')) as Stamp;
  } catch {
    return undefined;
  }
}

function writeStamp(root: string, stamp: Stamp): void {
  const path = join(root, 'current.json');
  writeFileSync(`${path}.new`, JSON.stringify(stamp), { flush: true });
  renameSync(`${path}.new`, path);
}

/** Broken-off and replaced environments. */
function removeAllBut(root: string, keep: string | undefined): void {
  for (const name of readdirSync(root)) {
    if (!name.startsWith('env-') || name === keep) continue;
    try {
      rmSync(join(root, name), { recursive: true, force: true });
    } catch {
      // An installation that outlived its parent still writes there; a later call removes it.
    }
  }
}
