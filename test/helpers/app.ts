import { rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import { readEnvironment } from '../../src/config/env.ts';
import { loadConfig } from '../../src/config/load.ts';
import { maskLogLine } from '../../src/masking/messages.ts';
import type { Network } from '../../src/runbooks/network.ts';
import { type App, startApp } from '../../src/start/wiring/app.ts';
import type { Role } from '../../src/start/wiring/types.ts';
import { type TestConfigOptions, testConfig, writeConfig } from './config.ts';
import { databaseVariables } from './database-modes.ts';
import { NATS_TIMING } from './nats-mode.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';
import { type ScriptedLlm, startScriptedLlm } from './scripted-llm/index.ts';

/** The whole application in this process, with its own database and a scripted model. */
export interface TestApp {
  url: string;
  database: TestDatabase;
  llm: ScriptedLlm;
  configDir: string;
  app: App;
  logger: Logger;
  stop(): Promise<void>;
}

export async function startTestApp(
  options: TestConfigOptions & {
    role?: Role;
    logLevel?: string;
    version?: string;
    /** Environment variables in addition to those that every start requires. */
    env?: Record<string, string>;
    network?: Network;
    slackApiUrl?: string;
    /** An LLM service instead of the scripted one. */
    llmAddress?: string;
    /** LLM providers added to the scripted ones. */
    providers?: Record<string, unknown>;
    /** A database of the test, which `stop` keeps. Default: an own one. */
    database?: TestDatabase;
    /** Receives the log. Default: the log is dropped. */
    logTo?: Writable;
  } = {},
): Promise<TestApp> {
  const llm = await startScriptedLlm();
  const database = options.database ?? (await createTestDatabase());
  const configDir = await writeConfig(testConfig(options), options.providers);
  const env = {
    CONFIG_DIR: configDir,
    HTTP_PORT: '0',
    NODE_ENV: 'test',
    LLM_SERVICE_ADDR: options.llmAddress ?? llm.address,
    ...databaseVariables(database.url),
    ...options.env,
  };
  const level = options.logLevel ?? process.env.TEST_LOG ?? 'silent';
  const config = await loadConfig({ dir: configDir, env });
  const streamWrite = (line: string) => maskLogLine(config.redact(line)); // masked as in a real start
  const logger = pino({ level, hooks: { streamWrite } }, options.logTo ?? process.stdout);
  const app = await startApp({
    role: options.role ?? 'all',
    config,
    environment: readEnvironment(env),
    env,
    databaseUrl: database.url,
    llmAddress: options.llmAddress ?? llm.address,
    version: options.version ?? 'test',
    logger,
    natsTiming: NATS_TIMING,
    ...(options.network ? { network: options.network } : {}),
    ...(options.slackApiUrl ? { slackApiUrl: options.slackApiUrl } : {}),
  });
  return {
    url: app.url ?? '',
    database,
    llm,
    configDir,
    app,
    logger,
    async stop() {
      await app.stop();
      await llm.close();
      if (options.database === undefined) await database.drop();
      await rm(configDir, { recursive: true });
    },
  };
}
