import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { type ManagedChild, type StopStep, spawnManaged } from './child.ts';
import { untilServing } from './grpc-health.ts';
import { forEachLine } from './lines.ts';
import { relayLogLine } from './relay-log.ts';
import { type Running, supervise } from './supervise.ts';

export interface LlmProcessDeps {
  /** Python interpreter that has the service's packages. */
  readonly python: string;
  /** The service's folder and working directory. */
  readonly serviceDir: string;
  readonly logger: Logger;
  /** Environment to pass on (provider keys); DATABASE_URL is removed because the service does not need it. */
  readonly env?: NodeJS.ProcessEnv;
  /** Program and first arguments; default: `python -m llm_service`. */
  readonly command?: readonly [string, ...string[]];
}

/** The LLM service did not start. */
class LlmProcessError extends Error {
  readonly code = 'LLM_SERVICE_START_FAILED';
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LlmProcessError';
  }
}

/** Milliseconds until ready; importing the provider SDKs from a slow disk takes tens of seconds. */
const READY_LIMIT_MS = 120_000;
/** First lets running streams end, then kills the process. */
const STOP: readonly StopStep[] = [
  { signal: 'SIGTERM', graceMs: 10_000 },
  { signal: 'SIGKILL', graceMs: 2_000 },
];
const LAST_LINES = 5;

/**
 * Runs the LLM service on a free loopback port and restarts it on the same port if it dies, so that clients reconnect by
 * themselves. The service also ends if this process is killed (kill -9), because its standard input closes.
 * @returns its address (host:port) once its health check reports SERVING
 * @throws LlmProcessError
 */
export async function startLlmProcess(
  deps: LlmProcessDeps,
): Promise<{ address: string; stop(): Promise<void> }> {
  const { logger } = deps;
  const supervised = await supervise<number>({
    name: 'LLM service',
    logger,
    launch: (previous, signal) => launch(deps, previous ?? 0, signal),
  });
  const address = `127.0.0.1:${supervised.value}`;
  logger.info({ address }, 'LLM service is up');
  return { address, stop: () => supervised.stop() };
}

async function launch(deps: LlmProcessDeps, port: number, signal: AbortSignal): Promise<Running<number>> {
  const { python, serviceDir, logger, env = process.env } = deps;
  const [program, ...first] = deps.command ?? [python, '-m', 'llm_service'];
  // METRICS_PORT is removed because this process uses it.
  const { DATABASE_URL: _, METRICS_PORT: __, ...passed } = env;
  const child = spawnManaged(
    program,
    [...first, '--host', '127.0.0.1', '--port', String(port), '--exit-on-stdin-eof'],
    {
      cwd: resolve(serviceDir),
      env: { ...passed, PYTHONUNBUFFERED: '1' },
      // A separate process group, so that Ctrl-C reaches only this process, which stops its parts in order.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  const lastLines: string[] = [];
  if (child.process.stderr) {
    forEachLine(child.process.stderr, (line) => {
      relayLogLine(logger, line);
      lastLines.push(line);
      if (lastLines.length > LAST_LINES) lastLines.shift();
    });
  }
  try {
    const bound = await ready(child, signal);
    return { value: bound, exited: child.exited, stop: () => child.stop(STOP) };
  } catch (error) {
    await child.stop(STOP);
    await child.drained;
    if (signal.aborted) throw error;
    const said = lastLines.findLast((line) => line.trim() !== '') ?? '';
    throw new LlmProcessError(`the LLM service did not start (${(error as Error).message}) ${said}`.trim(), {
      cause: error,
    });
  }
}

/** Waits until the service announces its port and then until it is serving. Rejects if it exits or the limit passes. */
async function ready(child: ManagedChild, signal: AbortSignal): Promise<number> {
  const over = new AbortController();
  const limit = AbortSignal.any([signal, over.signal, AbortSignal.timeout(READY_LIMIT_MS)]);
  const failed = new Promise<never>((_resolve, reject) => {
    void child.exited.then((reason) => reject(new Error(reason)));
    limit.addEventListener('abort', () => reject(limit.reason), { once: true });
  });
  failed.catch(() => {}); // handled by the races below
  try {
    const port = await Promise.race([announcedPort(child), failed]);
    const serving = untilServing(`127.0.0.1:${port}`, limit);
    serving.catch(() => {}); // in case `failed` rejects first
    await Promise.race([serving, failed]);
    return port;
  } finally {
    over.abort();
  }
}

/** Returns the port from the service's first line on standard output: {"event":"listening","port":N}. */
function announcedPort(child: ManagedChild): Promise<number> {
  return new Promise((found) => {
    if (!child.process.stdout) return;
    forEachLine(child.process.stdout, (line) => {
      try {
        const said = JSON.parse(line) as { event?: unknown; port?: unknown };
        if (said.event === 'listening' && typeof said.port === 'number') found(said.port);
      } catch {
        // Not the announcement.
      }
    });
  });
}
