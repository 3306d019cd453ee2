import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Environment, readEnvironment } from '../config/env.ts';
import { loadConfig } from '../config/load.ts';
import { maskLogLine } from '../masking/messages.ts';
import { stopInTime } from './leave.ts';
import { createLogger } from './logger.ts';
import { requireVariable } from './required.ts';
import { untilToldToStop } from './signals.ts';
import { buildVersion } from './version.ts';
import { migrate, startApp } from './wiring/app.ts';

/** Runs the API or the workers alone, against a database and an LLM service that others run, until told to stop. */
export async function startPart(role: 'api' | 'worker', env: NodeJS.ProcessEnv): Promise<number> {
  const environment = readEnvironment(env);
  const databaseUrl = requireVariable(role, 'DATABASE_URL', environment.databaseUrl);
  const llmAddress =
    role === 'worker' ? requireVariable(role, 'LLM_SERVICE_ADDR', environment.llmServiceAddr) : null;
  const config = await loadConfig({ dir: environment.configDir, env });
  // Else a sign-in would be one of a single process, until that ends.
  if (role === 'api' && config.auth.mode === 'oidc')
    requireVariable('auth.mode oidc', 'TARSY_KEY', environment.key);
  const logger = createLogger(environment, (line) => maskLogLine(config.redact(line)));
  warnOfOwnKey(environment, logger);
  const told = untilToldToStop(logger);
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
  const code = await told;
  return (await stopInTime(app.stop, logger)) ? code : 1;
}

/** Parts on one machine may share their home; those in containers do not, and neither would say so before somebody must decide. */
function warnOfOwnKey({ key, home }: Environment, logger: Logger): void {
  if (key !== null) return;
  logger.warn(
    { path: join(home, 'key') },
    'TARSY_KEY is not set, so the key is that of this home: unless API and workers share it, calls whose arguments hold secrets can be neither approved nor denied, and a session that moves loses what its model wants back',
  );
}
