import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runAlertCommand } from '../../src/cli/alert.ts';
import { startLlmProcess } from '../../src/machine/llm-process.ts';
import { reportFailure } from '../../src/start/failure.ts';
import { createLogger } from '../../src/start/logger.ts';
import { devPython, ROOT } from '../lib/dev-python.ts';
import { checkNewestSession } from './check-session.ts';
import { startLocalModel } from './local-model.ts';
import { startTemporaryTarsy } from './tarsy.ts';

const ALERT = 'Disk almost full on this host: / above 90%';

/**
 * Implements `npm run test:model`: starts the local model, the LLM service and a TARSy with its own data, and sends an
 * alert. Not part of `npm test` because of its download and duration. `--strategy react` tests the ReAct strategy.
 * @returns the exit code
 */
async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: { strategy: { type: 'string' } } });
  const logger = createLogger({ logLevel: 'info', logFormat: 'pretty' });
  const startedAt = performance.now();
  const running = new AsyncDisposableStack(); // stops everything in reverse order of its start
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt);
  try {
    const dir = await mkdtemp(join(tmpdir(), 'tarsy-model-'));
    running.defer(() => rm(dir, { recursive: true, force: true }));
    await chmod(dir, 0o755); // as root, PostgreSQL runs as another account, which must reach this folder

    const model = await startLocalModel({ port: 0, logger, signal: interrupted.signal });
    running.defer(model.stop);
    const serviceDir = join(ROOT, 'llm-service');
    const service = await startLlmProcess({ python: await devPython(), serviceDir, logger });
    running.defer(service.stop);
    interrupted.signal.throwIfAborted();
    const strategy = values.strategy ?? 'langchain';
    const tarsy = await startTemporaryTarsy({ dir, address: model, strategy, llmService: service.address });
    running.defer(tarsy.stop);
    interrupted.signal.throwIfAborted();

    const exitCode = await runAlertCommand([ALERT, '--url', tarsy.graphql.href], process);
    const { report, problems } = await checkNewestSession(tarsy.graphql, model.model, interrupted.signal);
    if (exitCode !== 0) problems.unshift(`the alert command ended with ${exitCode}`);
    process.stdout.write(`\n${report.map((line) => `  ${line}`).join('\n')}\n`);
    for (const problem of problems) process.stdout.write(`  Problem: ${problem}\n`);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    process.stdout.write(
      `\n${problems.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed'} (${seconds} s)\n`,
    );
    return problems.length === 0 ? 0 : 1;
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    process.stderr.write('Interrupted.\n');
    return 130;
  } finally {
    await running.disposeAsync();
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportFailure(error, process.stderr);
}
