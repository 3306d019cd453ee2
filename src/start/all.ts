import { resolve } from 'node:path';
import type { Logger } from 'pino';
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
import { stopInTime } from './leave.ts';
import { createLogger } from './logger.ts';
import { untilStopRequested } from './signals.ts';
import { buildVersion } from './version.ts';
import { migrate, startApp, stopParts } from './wiring/app.ts';
import type { OnStop, Release } from './wiring/types.ts';

const ROOT = resolve(import.meta.dirname, '../..');
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
      llmService: environment.llmServiceAddr === null,
      env,
    });
    if (problems.length > 0) {
      for (const problem of problems) process.stderr.write(`${problem.message}\n`);
      return 1;
    }
    const lock = await acquireInstanceLock({ home: environment.home });
    onStop(async () => lock.release());
    leaving = lock.leaving;
    const started = startEverything({ environment, config, env, logger, onStop });
    const url = await Promise.race([started, stopRequested]);
    if (typeof url === 'string') {
      lock.announce(url);
      greet(url, config);
    } else {
      await started.catch(() => {}); // stop requested during the start: `finally` stops what has started
    }
    return await stopRequested;
  } finally {
    await stopParts(releasers, logger);
  }
}

async function startEverything(deps: {
  environment: Environment;
  config: Config;
  env: NodeJS.ProcessEnv;
  logger: Logger;
  onStop: OnStop;
}): Promise<string> {
  const { environment, config, env, logger, onStop } = deps;
  const database = startDatabase(environment, logger, onStop);
  const llm = startLlm(environment, env, logger, onStop);
  const dashboard = ensureDashboard({ root: ROOT, logger });
  await Promise.allSettled([database, llm, dashboard]); // waits for all, so that an error leaves no part still starting
  const [databaseUrl, llmAddress] = await Promise.all([database, llm, dashboard]);
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
  env: NodeJS.ProcessEnv,
  logger: Logger,
  onStop: OnStop,
): Promise<string> {
  if (environment.llmServiceAddr !== null) return environment.llmServiceAddr;
  const { python } = await ensurePythonEnv({ home: environment.home, serviceDir: SERVICE_DIR, logger, env });
  const service = await startLlmProcess({ python, serviceDir: SERVICE_DIR, logger, env });
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
    '  Try it: npm run alert -- "Disk almost full on this host: / above 90%"',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
