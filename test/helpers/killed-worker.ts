import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { TestApp } from './app.ts';

const WORKER = resolve(import.meta.dirname, 'slack-worker.ts');

/** Starts a worker of an application as a process of its own, and waits until it is ready. */
export async function startWorker(app: TestApp, env: Record<string, string>): Promise<ChildProcess> {
  const worker = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', WORKER], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      CONFIG_DIR: app.configDir,
      DATABASE_URL: app.database.url,
      LLM_SERVICE_ADDR: app.llm.address,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(worker.stdout!, 'data');
  return worker;
}

/** Kills a worker at once, like a crash. */
export async function killWorker(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const gone = once(worker, 'exit');
  worker.kill('SIGKILL');
  await gone;
}
