import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Environment, readEnvironment } from '../config/env.ts';
import { loadConfig } from '../config/load.ts';
import { maskLogLine } from '../masking/messages.ts';
import { checkEnvironment } from './checks.ts';
import { stopInTime } from './leave.ts';
import { createLogger } from './logger.ts';
import { untilStopRequested } from './signals.ts';
import { buildVersion } from './version.ts';
import { migrate, startApp } from './wiring/app.ts';

/** Runs the command `api` or `worker` until stopped, with an external database. @returns the exit code */
export async function startPart(role: 'api' | 'worker', env: NodeJS.ProcessEnv): Promise<number> {
  const environment = readEnvironment(env);
  const databaseUrl = requireVariable(role, 'DATABASE_URL', environment.databaseUrl);
  const llmAddress =
    role === 'worker' ? requireVariable(role, 'LLM_SERVICE_ADDR', environment.llmServiceAddr) : null;
  const config = await loadConfig({ dir: environment.configDir, env });
  // Without a shared key, a sign-in would be valid only in the API process that made it.
  if (role === 'api' && config.auth.mode === 'oidc')
    requireVariable('auth.mode oidc', 'TARSY_KEY', environment.key);
  const logger = createLogger(environment, (line) => maskLogLine(config.redact(line)));
  warnAboutOwnKey(environment, logger);
  const stopRequested = untilStopRequested(logger);
  await checkEnvironment({ role, environment, config, logger });
  await migrate(databaseUrl, logger);
  const app = await startApp({
    role,
    config,
    environment,
    env,
    databaseUrl,
    llmAddress,
    version: buildVersion(environment.commit),
    logger,
  });
  logger.info({ role, url: app.url }, 'TARSy is ready');
  const code = await stopRequested;
  return (await stopInTime(app.stop, logger)) ? code : 1;
}

/** Runs the command `migrate`: migrates the database of DATABASE_URL. @returns the exit code */
export async function migrateOnly(env: NodeJS.ProcessEnv): Promise<number> {
  const environment = readEnvironment(env);
  const databaseUrl = requireVariable('migrate', 'DATABASE_URL', environment.databaseUrl);
  const { applied } = await migrate(databaseUrl, createLogger(environment));
  process.stdout.write(applied.length === 0 ? 'Nothing to migrate.\n' : `Migrated: ${applied.join(', ')}\n`);
  return 0;
}

class MissingVariableError extends Error {
  override readonly name = 'MissingVariableError';
  readonly code = 'MISSING_VARIABLE';
}

const EXAMPLES = {
  DATABASE_URL: 'postgres://tarsy@localhost:5432/tarsy',
  LLM_SERVICE_ADDR: 'localhost:50051',
  TARSY_KEY: '"$(openssl rand -base64 32)", the same for all',
} as const;

function requireVariable(command: string, variable: keyof typeof EXAMPLES, value: string | null): string {
  if (value !== null) return value;
  throw new MissingVariableError(
    `${command} needs ${variable}, for example ${variable}=${EXAMPLES[variable]}`,
  );
}

/** Warns if TARSY_KEY is unset, because differing keys would be noticed only when an approver decides on a call. */
function warnAboutOwnKey({ key, home }: Environment, logger: Logger): void {
  if (key !== null) return;
  logger.warn(
    { path: join(home, 'key') },
    'TARSY_KEY is not set: without a shared key, calls with secrets cannot be approved or denied, and resumed sessions lose encrypted model state',
  );
}
