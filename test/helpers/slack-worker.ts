import { pino } from 'pino';
import { readEnvironment } from '../../src/config/env.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startApp } from '../../src/start/wiring/app.ts';
import type { Role } from '../../src/start/wiring/types.ts';

/**
 * A process that uses the fake Slack at SLACK_API_URL: a worker, or the role of the first argument. Tests run this
 * program with Node and kill it.
 */
const { env } = process;
const role = process.argv[2] as Role | undefined;
const logger = pino({ level: role === undefined ? 'silent' : 'info' }, pino.destination(2));
const app = await startApp({
  role: role ?? 'worker',
  config: await loadConfig({ dir: env.CONFIG_DIR ?? '', env }),
  environment: readEnvironment(env),
  env,
  databaseUrl: env.DATABASE_URL ?? '',
  llmAddress: env.LLM_SERVICE_ADDR ?? '',
  version: 'test',
  logger,
  slackApiUrl: env.SLACK_API_URL ?? '',
});
logger.info({ url: app.url }, 'TARSy is ready');
process.stdout.write('ready\n');
