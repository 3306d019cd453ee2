import { resolve } from 'node:path';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { ensureHome } from '../../src/machine/home.ts';
import { ensurePythonEnv } from '../../src/machine/python-env.ts';
import { oneAtATime } from './one-at-a-time.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Returns the Python interpreter with the LLM service's development packages (pytest, ruff, mypy, protoc). The first
 * caller installs them, while other processes wait.
 */
export async function devPython(): Promise<string> {
  const logger = pino({ base: null }, pretty({ sync: true, ignore: 'time' }));
  const home = ensureHome(resolve(ROOT, '.tarsy'));
  const options = { home, serviceDir: resolve(ROOT, 'llm-service'), logger };
  const { python } = await oneAtATime(resolve(home, 'python-dev.lock'), () =>
    ensurePythonEnv({ ...options, name: 'python-dev', lockFile: 'requirements-dev.lock' }),
  );
  return python;
}
