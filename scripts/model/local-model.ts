import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { type ManagedChild, type StopStep, spawnManaged } from '../../src/machine/child.ts';
import { forEachLine } from '../../src/machine/lines.ts';
import { ensurePythonEnv } from '../../src/machine/python-env.ts';
import { ROOT } from '../lib/dev-python.ts';
import type { ModelAddress } from './provider.ts';

export interface LocalModel extends ModelAddress {
  /** Resolves (never rejects) with a description of how the process ended. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

/** Thrown if the model's server does not start. */
class LocalModelError extends Error {
  readonly code = 'LOCAL_MODEL_START_FAILED';
  constructor(message: string) {
    super(message);
    this.name = 'LocalModelError';
  }
}

const HOME = resolve(ROOT, '.tarsy');
const ENVIRONMENT = 'model';
/** Time limit (ms) of the start. Loading the model takes a second, but reading 200 MB from a cold, slow disk more. */
const READY_LIMIT_MS = 120_000;
/** Steps of a stop. The grace periods are short, because the server has nothing to save. */
const STOP: readonly StopStep[] = [
  { signal: 'SIGTERM', graceMs: 3_000 },
  { signal: 'SIGKILL', graceMs: 2_000 },
];
const LAST_LINES = 5;

/**
 * Installs the model and its server on first use, then serves the model on loopback. The server ends with this process,
 * even after kill -9, because its standard input closes.
 * @param port 0 for any free port
 * @throws MachineError if it cannot be installed, LocalModelError if it does not start
 */
export async function startLocalModel(options: {
  port: number;
  logger: Logger;
  /** Aborts the start. */
  signal?: AbortSignal;
}): Promise<LocalModel> {
  const { port, logger, signal } = options;
  const python = await modelPython(logger, signal);
  const script = join(import.meta.dirname, 'serve.py');
  const child = spawnManaged(python, [script, '--port', String(port)], {
    // Own process group, so that the terminal's Ctrl-C reaches only this process, which then stops its
    // children in order.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lastLines: string[] = [];
  if (child.process.stderr) {
    forEachLine(child.process.stderr, (line) => {
      logger.debug(line);
      lastLines.push(line);
      if (lastLines.length > LAST_LINES) lastLines.shift();
    });
  }
  try {
    const address = await Promise.race([readAddress(child), rejectOnFailure(child, signal)]);
    logger.info(address, 'the local model is up');
    return { ...address, exited: child.exited, stop: () => child.stop(STOP) };
  } catch (error) {
    await child.stop(STOP);
    await child.drained;
    signal?.throwIfAborted();
    const said = lastLines.findLast((line) => line.trim() !== '') ?? (error as Error).message;
    throw new LocalModelError(`The local model did not start: ${said}`);
  }
}

/** Returns a Python interpreter with exactly the packages of requirements.lock; installs them on first use. */
async function modelPython(logger: Logger, signal: AbortSignal | undefined): Promise<string> {
  if (!existsSync(join(HOME, ENVIRONMENT, 'current.json'))) {
    logger.info('downloading the local model and its server (first time only, 127 MB)');
  }
  const { python } = await ensurePythonEnv({
    home: HOME,
    name: ENVIRONMENT,
    serviceDir: import.meta.dirname,
    // Hides the installer's info messages, because they would speak of the LLM service instead of the model.
    logger: logger.child({}, { level: 'warn' }),
    ...(signal && { signal }),
  });
  return python;
}

/** Rejects if the process ends, if it does not start within READY_LIMIT_MS, or if the start is aborted. */
function rejectOnFailure(child: ManagedChild, signal: AbortSignal | undefined): Promise<never> {
  const limit = AbortSignal.any([AbortSignal.timeout(READY_LIMIT_MS), ...(signal ? [signal] : [])]);
  return new Promise((_resolve, reject) => {
    void child.exited.then((reason) => reject(new Error(reason)));
    if (limit.aborted) reject(limit.reason);
    limit.addEventListener('abort', () => reject(limit.reason), { once: true });
  });
}

/** Reads the first line of the server's output: {"event":"listening","base_url":…,"model":…}. */
function readAddress(child: ManagedChild): Promise<ModelAddress> {
  return new Promise((found, failed) => {
    if (!child.process.stdout) return;
    forEachLine(child.process.stdout, (line) => {
      try {
        const said = JSON.parse(line) as { event?: unknown; base_url: string; model: string };
        if (said.event === 'listening') found({ baseUrl: said.base_url, model: said.model });
      } catch {
        failed(new Error(`it said: ${line}`));
      }
    });
  });
}
