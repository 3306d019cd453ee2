import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { errorMessage } from '../common/error-message.ts';
import { type Environment, readEnvironment } from '../config/env.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/types.ts';
import { ensureDashboard } from '../machine/dashboard-build.ts';
import { startEmbeddedPostgres } from '../machine/embedded-postgres.ts';
import { acquireInstanceLock } from '../machine/instance-lock.ts';
import { startLlmProcess } from '../machine/llm-process.ts';
import { watchParent } from '../machine/parent-watch.ts';
import { checkPrerequisites } from '../machine/prerequisites.ts';
import { ensurePythonEnv } from '../machine/python-env.ts';
import { maskLogLine } from '../masking/messages.ts';
import { checkEnvironment, StartError } from './checks.ts';
import { stopInTime } from './leave.ts';
import { createLogger } from './logger.ts';
import { untilStopRequested } from './signals.ts';
import { buildVersion } from './version.ts';
import { migrate, startApp, stopParts } from './wiring/app.ts';
import type { OnStop, Release } from './wiring/types.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Exit code that shells report for a program that SIGINT ended. */
const INTERRUPTED = 130;
const SERVICE_DIR = resolve(ROOT, 'llm-service');

/** Runs `npm start`: installs what is missing and starts every part, until stopped. @returns the exit code */
export async function startAll(env: NodeJS.ProcessEnv): Promise<number> {
  const environment = readEnvironment(env);
  const config = await loadConfig({ dir: environment.configDir, env });
  const logger = createLogger(environment, (line) => maskLogLine(config.redact(line)));
  const releasers: Release[] = [];
  const onStop: OnStop = (release) => releasers.push(release);
  let leaving = () => {};
  const stopRequested = untilStopRequested(logger, watchParent).then((code) => {
    leaving();
    return code;
  });
  try {
    const problems = await checkPrerequisites({
      home: environment.home,
      embeddedPostgres: environment.databaseUrl === null,
      serviceDir: environment.llmServiceAddr === null ? SERVICE_DIR : null,
      env,
    });
    if (problems.length > 0) throw new StartError(problems.map(errorMessage).join('\n'));
    const lock = await acquireInstanceLock({ home: environment.home });
    onStop(async () => lock.release());
    leaving = lock.leaving;
    const checks = checkEnvironment({ role: 'all', environment, config, logger });
    if ((await Promise.race([checks, stopRequested])) !== undefined) return interrupted();
    const setup = new AbortController();
    const started = startEverything({ environment, config, env, logger, onStop, setup });
    const url = await Promise.race([started, stopRequested]);
    if (typeof url === 'string') {
      lock.announce(url);
      greet(url, config);
      return await stopRequested;
    }
    setup.abort();
    await started.catch(() => {}); // `finally` stops what has started
    return interrupted();
  } finally {
    await stopParts(releasers, logger);
  }
}

/** Reports that the start was stopped. @returns the exit code */
function interrupted(): number {
  process.stderr.write('Stopped before TARSy was ready. The next start continues the set-up.\n');
  return INTERRUPTED;
}

async function startEverything(deps: {
  environment: Environment;
  config: Config;
  env: NodeJS.ProcessEnv;
  logger: Logger;
  onStop: OnStop;
  /** Aborts the set-up. */
  setup: AbortController;
}): Promise<string> {
  const { environment, config, env, logger, onStop, setup } = deps;
  const { signal } = setup;
  const parts = [
    startDatabase(environment, logger, onStop),
    startLlm(environment, { env, logger, signal }, onStop),
    ensureDashboard({ root: ROOT, logger, signal }),
  ] as const;
  // The first failure ends the other parts. Waits for all of them, so that no part is still starting afterwards.
  for (const part of parts) part.catch((error: unknown) => setup.abort(error));
  await Promise.allSettled(parts);
  signal.throwIfAborted();
  const [databaseUrl, llmAddress] = await Promise.all(parts);
  const app = await startApp({
    role: 'all',
    config,
    environment,
    env,
    databaseUrl,
    llmAddress,
    version: buildVersion(environment.commit),
    logger,
  });
  onStop(() => stopInTime(app.stop, logger));
  return app.url ?? '';
}

async function startDatabase(environment: Environment, logger: Logger, onStop: OnStop): Promise<string> {
  let url = environment.databaseUrl;
  if (url === null) {
    const postgres = await startEmbeddedPostgres({ home: environment.home, logger });
    onStop(postgres.stop);
    url = postgres.url;
  }
  await migrate(url, logger);
  return url;
}

async function startLlm(
  environment: Environment,
  options: { env: NodeJS.ProcessEnv; logger: Logger; signal: AbortSignal },
  onStop: OnStop,
): Promise<string> {
  if (environment.llmServiceAddr !== null) return environment.llmServiceAddr;
  const { python } = await ensurePythonEnv({ home: environment.home, serviceDir: SERVICE_DIR, ...options });
  const service = await startLlmProcess({ python, serviceDir: SERVICE_DIR, ...options });
  onStop(service.stop);
  return service.address;
}

function greet(url: string, config: Config): void {
  const { name, reason } = config.providerChoice;
  const lines = [
    '',
    `  TARSy is ready: ${url}`,
    `  LLM provider: ${name} (${reason})`,
    ...config.warnings.map((warning) => `  Warning: ${warning}`),
    `  Try it: ${serverVariable(url)}npm run alert -- "Disk almost full on this host: / above 90%"`,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Address that `npm run alert` uses if TARSY_URL is not set. */
const USUAL_URL = 'http://127.0.0.1:8080';

/** Returns the variable that leads a command to this server; empty if none is needed. */
function serverVariable(url: string): string {
  const reachable = url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  return reachable === USUAL_URL ? '' : `TARSY_URL=${reachable} `;
}
