import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { type ManagedChild, type StopStep, spawnManaged } from './child.ts';
import { MachineError } from './errors.ts';
import { untilServing } from './grpc-health.ts';
import { forEachLine } from './lines.ts';
import { type Running, supervise } from './supervise.ts';

export interface LlmProcessDeps {
  readonly python: string;
  readonly serviceDir: string;
  readonly logger: Logger;
  /** Environment of the service. DATABASE_URL and METRICS_PORT are removed, because the service must not use them. */
  readonly env?: NodeJS.ProcessEnv;
  /** Program and first arguments. @default `python -m llm_service` */
  readonly command?: readonly [string, ...string[]];
  /** Ends the first start. */
  readonly signal?: AbortSignal;
}

/**
 * Time (ms) within which the service must be ready. Importing the provider SDKs from a slow disk takes tens of seconds.
 */
const READY_LIMIT_MS = 120_000;
/** Signals that stop the service: running model streams may end first, then the process is killed. */
const STOP: readonly StopStep[] = [
  { signal: 'SIGTERM', graceMs: 10_000 },
  { signal: 'SIGKILL', graceMs: 2_000 },
];
const LAST_LINES = 5;

/**
 * Runs the LLM service on a free loopback port. If it dies, restarts it on the same port, so that clients reconnect by
 * themselves. The service also ends if this process is killed, because its standard input then closes.
 * @returns its address (host:port) once its health check reports SERVING
 * @throws MachineError LLM_SERVICE_START_FAILED, or the signal's reason
 */
export async function startLlmProcess(
  deps: LlmProcessDeps,
): Promise<{ address: string; stop(): Promise<void> }> {
  const { logger } = deps;
  const supervised = await supervise<number>({
    name: 'LLM service',
    logger,
    launch: (previous, signal) =>
      launch(deps, previous ?? 0, deps.signal ? AbortSignal.any([signal, deps.signal]) : signal),
  });
  const address = `127.0.0.1:${supervised.value}`;
  logger.info({ address }, 'LLM service is up');
  return { address, stop: () => supervised.stop() };
}

async function launch(deps: LlmProcessDeps, port: number, signal: AbortSignal): Promise<Running<number>> {
  const { python, serviceDir, logger, env = process.env } = deps;
  const [program, ...first] = deps.command ?? [python, '-m', 'llm_service'];
  // METRICS_PORT is removed, because this process itself listens on that port.
  const { DATABASE_URL: _, METRICS_PORT: __, ...passed } = env;
  const child = spawnManaged(
    program,
    [...first, '--host', '127.0.0.1', '--port', String(port), '--exit-on-stdin-eof'],
    {
      cwd: resolve(serviceDir),
      env: { ...passed, PYTHONUNBUFFERED: '1' },
      // A separate process group, so that Ctrl-C reaches only this process, which then stops its children in order.
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
    signal.throwIfAborted();
    const said = lastLines.findLast((line) => line.trim() !== '') ?? '';
    const message = `the LLM service did not start (${(error as Error).message}) ${said}`.trim();
    throw new MachineError('LLM_SERVICE_START_FAILED', message, { cause: error });
  }
}

/** Returns the announced port once the service is serving. Rejects if the service exits first or takes too long. */
async function ready(child: ManagedChild, signal: AbortSignal): Promise<number> {
  const over = new AbortController();
  const limit = AbortSignal.any([signal, over.signal, AbortSignal.timeout(READY_LIMIT_MS)]);
  const failed = new Promise<never>((_resolve, reject) => {
    void child.exited.then((reason) => reject(new Error(reason)));
    limit.addEventListener('abort', () => reject(limit.reason), { once: true });
  });
  failed.catch(() => {}); // prevents an unhandled rejection; the races below handle it
  try {
    const port = await Promise.race([announcedPort(child), failed]);
    const serving = untilServing(`127.0.0.1:${port}`, limit);
    serving.catch(() => {}); // prevents an unhandled rejection if `failed` rejects first
    await Promise.race([serving, failed]);
    return port;
  } finally {
    over.abort();
  }
}

/** Resolves with the port that the service announces on standard output: {"event":"listening","port":N}. */
function announcedPort(child: ManagedChild): Promise<number> {
  return new Promise((found) => {
    if (!child.process.stdout) return;
    forEachLine(child.process.stdout, (line) => {
      try {
        const said = JSON.parse(line) as { event?: unknown; port?: unknown };
        if (said.event === 'listening' && typeof said.port === 'number') found(said.port);
      } catch {
        // Ignores other output.
      }
    });
  });
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
const SYNONYMS: Readonly<Record<string, string>> = { warning: 'warn', critical: 'error', fatal: 'error' };

/** Relays a line of the service's JSON log. Lines that are not JSON, such as tracebacks, become warnings. */
function relayLogLine(logger: Logger, line: string): void {
  if (line.trim() === '') return;
  const said = parse(line);
  if (!said) {
    logger.warn(line);
    return;
  }
  const { level, message, msg, time: _time, timestamp: _timestamp, ...rest } = said;
  const name = String(level).toLowerCase();
  const known = LEVELS.find((each) => each === (SYNONYMS[name] ?? name)) ?? 'info';
  logger[known](rest, String(message ?? msg ?? said.event ?? ''));
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
