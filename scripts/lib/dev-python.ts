import { resolve } from 'node:path';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { ensurePythonEnv } from '../../src/machine/python-env.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

/** Interpreter with the packages for developing the LLM service (pytest, ruff, mypy, protoc); installed on first use. */
export async function devPython(): Promise<string> {
  const logger = pino({ base: null }, pretty({ sync: true, ignore: 'time' }));
  const options = { home: resolve(ROOT, '.tarsy'), serviceDir: resolve(ROOT, 'llm-service'), logger };
  const { python } = await ensurePythonEnv({
    ...options,
    name: 'python-dev',
    lockFile: 'requirements-dev.lock',
  });
  return python;
}
