import { pino } from 'pino';
import { readEnvironment } from '../../src/config/env.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startApp } from '../../src/start/wiring/app.ts';

/**
 * A worker process that uses the fake Slack at SLACK_API_URL. Tests run this program with Node and kill it.
 */
const { env } = process;
await startApp({
  role: 'worker',
  config: await loadConfig({ dir: env.CONFIG_DIR ?? '', env }),
  environment: readEnvironment(env),
  env,
  databaseUrl: env.DATABASE_URL ?? '',
  llmAddress: env.LLM_SERVICE_ADDR ?? '',
  version: 'test',
  logger: pino({ level: 'silent' }),
  slackApiUrl: env.SLACK_API_URL ?? '',
});
process.stdout.write('ready\n');
