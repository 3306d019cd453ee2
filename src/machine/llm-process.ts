import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { type ManagedChild, type StopStep, spawnManaged } from './child.ts';
import { untilServing } from './grpc-health.ts';
import { forEachLine } from './lines.ts';
import { relayLogLine } from './relay-log.ts';
import { type Running, supervise } from './supervise.ts';

export interface LlmProcessDeps {
  /** Interpreter that has the service's packages. */
  readonly python: string;
  /** Folder of the service, the working directory of its process. */
  readonly serviceDir: string;
  readonly logger: Logger;
  /** Environment to pass on (provider keys); without DATABASE_URL, which is none of the service's business. */
  readonly env?: NodeJS.ProcessEnv;
  /** Program and first arguments, when it is not `python -m llm_service`. */
  readonly command?: readonly [string, ...string[]];
}

/** The service did not come up. */
class LlmProcessError extends Error {
  readonly code = 'LLM_SERVICE_START_FAILED';
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LlmProcessError';
  }
}

/** Importing the provider SDKs from a cold, slow disk takes tens of seconds. */
const READY_LIMIT_MS = 120_000;
/** Its own grace for running streams, then none. */
const STOP: readonly StopStep[] = [
  { signal: 'SIGTERM', graceMs: 10_000 },
  { signal: 'SIGKILL', graceMs: 2_000 },
];
const LAST_LINES = 5;

/**
 * Runs our own LLM service on a free loopback port and restarts it on the same port should it die, so that clients
 * reconnect by themselves. It ends with us even on kill -9: its standard input closes.
 * @returns its address (host:port) once its health check says SERVING.
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
  // The port of the metrics is taken by us.
  const { DATABASE_URL: _, METRICS_PORT: __, ...passed } = env;
  const child = spawnManaged(
    program,
    [...first, '--host', '127.0.0.1', '--port', String(port), '--exit-on-stdin-eof'],
    {
      cwd: resolve(serviceDir),
      env: { ...passed, PYTHONUNBUFFERED: '1' },
      // A group of its own: Ctrl-C in a terminal must reach us only, so that we stop things in their order.
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

/** Waits for the port it names and then for SERVING; whatever ends the wait early ends it all. */
async function ready(child: ManagedChild, signal: AbortSignal): Promise<number> {
  const over = new AbortController();
  const limit = AbortSignal.any([signal, over.signal, AbortSignal.timeout(READY_LIMIT_MS)]);
  const failed = new Promise<never>((_resolve, reject) => {
    void child.exited.then((reason) => reject(new Error(reason)));
    limit.addEventListener('abort', () => reject(limit.reason), { once: true });
  });
  failed.catch(() => {}); // told through the races below
  try {
    const port = await Promise.race([announcedPort(child), failed]);
    const serving = untilServing(`127.0.0.1:${port}`, limit);
    serving.catch(() => {}); // when `failed` was faster
    await Promise.race([serving, failed]);
    return port;
  } finally {
    over.abort();
  }
}

/** The service's first word on standard output: {"event":"listening","port":N}. */
function announcedPort(child: ManagedChild): Promise<number> {
  return new Promise((found) => {
    if (!child.process.stdout) return;
    forEachLine(child.process.stdout, (line) => {
      try {
        const said = JSON.parse(line) as { event?: unknown; port?: unknown };
        if (said.event === 'listening' && typeof said.port === 'number') found(said.port);
      } catch {
        // Not for us.
      }
    });
  });
}
