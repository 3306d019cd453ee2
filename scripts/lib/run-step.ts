import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { ROOT } from './dev-python.ts';

const GRACE_MS = 10_000;

interface StepOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  limitMinutes?: number;
  /** File that receives the output instead of the terminal. */
  outputFile?: string;
}

/**
 * Runs a command in the project's folder and passes its output on. Resolves with its exit code. Stops the command after
 * `limitMinutes` and counts it as failed, so that a hang is visible.
 */
export function runStep(command: string, args: readonly string[], options: StepOptions = {}) {
  return new Promise<number>((resolve, reject) => {
    const output = options.outputFile ? openSync(options.outputFile, 'w') : 'inherit';
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, ...options.env },
      stdio: ['inherit', output, output],
    });
    const limit = options.limitMinutes ? setTimeout(end, options.limitMinutes * 60_000) : undefined;
    let kill: NodeJS.Timeout | undefined;
    function end() {
      process.stderr.write(`\n${command} did not end within ${options.limitMinutes} minutes: stopped\n`);
      child.kill('SIGTERM');
      kill = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    }
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(limit);
      clearTimeout(kill);
      resolve(signal ? 1 : (code ?? 1));
    });
  });
}
