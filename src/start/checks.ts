import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Logger } from 'pino';
import { errorMessage } from '../common/error-message.ts';
import type { Environment } from '../config/env.ts';
import type { Config } from '../config/types.ts';
import { connectOnce } from '../db/connect.ts';
import { readDatabaseIdentity } from '../db/identity.ts';
import { isExpected } from './failure.ts';
import { checkListeners, type Listener } from './listen.ts';
import { checkServable } from './wiring/app.ts';
import type { Role } from './wiring/types.ts';

/** Something that the environment names cannot be used. The message has a line for each problem. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly code = 'CANNOT_START';
}

/** Time limit (ms) of a connection to the LLM service. */
const LLM_LIMIT_MS = 1_500;

/**
 * Checks before any set-up what the environment names: addresses to listen at, database, LLM service.
 * @throws StartError naming every problem
 */
export async function checkEnvironment(options: {
  role: Role;
  environment: Environment;
  config: Config;
  logger: Logger;
}): Promise<void> {
  const { role, environment, logger } = options;
  const { databaseUrl, databasePoolerUrl, llmServiceAddr, httpHost, httpPort, metricsHost, metricsPort } =
    environment;
  const listeners: Listener[] = [];
  if (role !== 'worker') listeners.push({ name: 'HTTP', host: httpHost, port: httpPort });
  if (metricsPort !== null) listeners.push({ name: 'METRICS', host: metricsHost, port: metricsPort });
  const results = await Promise.allSettled([
    Promise.try(checkServable, options),
    checkListeners(listeners),
    checkEventBus(options.config.events),
    databaseUrl === null ? undefined : checkDatabase(databaseUrl, databasePoolerUrl, role, logger),
    // A worker waits for its LLM service, which may start later than the worker.
    role === 'all' && llmServiceAddr !== null ? checkLlmService(llmServiceAddr) : undefined,
  ]);
  const problems = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  const bug = problems.find((problem) => !isExpected(problem));
  if (bug !== undefined) throw bug;
  if (problems.length > 0) throw new StartError(problems.map(errorMessage).join('\n'));
}

/** Connects to the database, and to its pooler if there is one. @throws StartError, DatabaseUnusableError */
async function checkDatabase(
  url: string,
  poolerUrl: string | null,
  role: Role,
  logger: Logger,
): Promise<void> {
  // API and worker wait for a silent database, because an orchestrator starts them while the database wakes up.
  const options = { application: 'tarsy-check', logger, refusesSilence: role === 'all' };
  const identityAt = async (at: string, variable: string) => {
    const client = await connectOnce(at, { ...options, variable });
    try {
      return await readDatabaseIdentity(client);
    } finally {
      await client.end();
    }
  };
  if (poolerUrl === null) return void (await (await connectOnce(url, options)).end());
  const [direct, pooled] = await Promise.all([
    identityAt(url, 'DATABASE_URL'),
    identityAt(poolerUrl, 'DATABASE_POOLER_URL'),
  ]);
  if (direct !== pooled)
    throw new StartError(
      'DATABASE_POOLER_URL leads to another database than DATABASE_URL: name the same server and database in the configuration of the pooler.',
    );
}

/** Reads the certificates of the connection to NATS. @throws StartError */
async function checkEventBus({ bus, nats }: Config['events']): Promise<void> {
  if (bus !== 'nats' || nats === null || nats.tls === null) return;
  const { caFile, certFile, keyFile } = nats.tls;
  for (const [key, path] of Object.entries({ ca_file: caFile, cert_file: certFile, key_file: keyFile })) {
    if (path === null) continue;
    await readFile(path).catch((error: unknown) => {
      throw new StartError(`events.nats.tls.${key}: ${path} cannot be read (${errorMessage(error)}).`);
    });
  }
}

/** Connects to the LLM service. @throws StartError */
function checkLlmService(address: string): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(
        new StartError(
          `LLM_SERVICE_ADDR: the LLM service at ${address} does not answer (${reason}). Start it, or correct or unset the variable.`,
        ),
      );
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
    socket.setTimeout(LLM_LIMIT_MS, () => fail(`no answer within ${LLM_LIMIT_MS / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    socket.once('connect', resolve);
    for (const event of ['timeout', 'connect']) socket.once(event, () => socket.destroy());
  });
}
