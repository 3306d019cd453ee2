import { resolve } from 'node:path';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { ensureHome } from '../../src/machine/home.ts';
import { ensurePythonEnv } from '../../src/machine/python-env.ts';
import { oneAtATime } from './one-at-a-time.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

/** Returns the Python interpreter with the LLM service's development packages (pytest, ruff, mypy, protoc). */
export const devPython = (): Promise<string> =>
  pythonWith({ name: 'python-dev', lockFile: 'requirements-dev.lock' });

/** Returns the Python interpreter with the packages that a start of TARSy in this folder uses. */
export const servicePython = (): Promise<string> =>
  pythonWith({ name: 'python', lockFile: 'requirements.lock' });

/** Returns the interpreter of an environment. The first caller installs the packages, while other processes wait. */
async function pythonWith(environment: { name: string; lockFile: string }): Promise<string> {
  const logger = pino({ base: null }, pretty({ sync: true, ignore: 'time' }));
  const home = ensureHome(resolve(ROOT, '.tarsy'));
  const options = { home, serviceDir: resolve(ROOT, 'llm-service'), logger };
  const { python } = await oneAtATime(resolve(home, `${environment.name}.lock`), () =>
    ensurePythonEnv({ ...options, ...environment }),
  );
  return python;
}
