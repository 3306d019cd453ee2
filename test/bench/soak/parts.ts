import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { testConfig, writeConfig } from '../../helpers/config.ts';
import { intakeConfig } from '../../helpers/deliveries.ts';
import { freePort } from '../../helpers/free-port.ts';
import { type FreezingProxy, openFreezingProxy } from '../../helpers/freezing-proxy.ts';
import { type HttpMcpServer, startHttpMcp } from '../../helpers/mcp/http-server.ts';
import { listenOn } from '../../helpers/mcp/listen.ts';
import { startProcess, type TarsyProcess } from '../../helpers/process.ts';
import { startTemporaryPostgres } from '../../helpers/temporary-postgres.ts';
import { forkBench, nextMessage } from '../children.ts';
import { KEPT_DAYS } from './options.ts';

/** A process of TARSy that is replaced at the same address after its death. */
export interface Replaceable {
  readonly name: string;
  readonly url: string | null;
  readonly pid: number;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Everything that a run needs. */
export interface Parts {
  apis: Replaceable[];
  workers: Replaceable[];
  database: FreezingProxy;
  model: { kill(): void; start(): Promise<void> };
  mcp: { kill(): Promise<void>; start(): Promise<void> };
  receiver: Receiver;
  /** Connections around the proxy. */
  sql: pg.Pool;
  /** Folder of the temporary files of all processes. */
  temporaryDir: string;
  stop(): Promise<void>;
}

/** The receiver of webhooks. */
export interface Receiver {
  mode: 'answer' | 'hang' | 'refuse';
  /** Ids of the webhooks that were accepted. */
  readonly ids: Set<string>;
}

const TOKEN = 'soak-token';

export async function startParts(): Promise<Parts> {
  const temporaryDir = await mkdtemp(join(tmpdir(), 'tarsy-soak-'));
  const postgres = await startTemporaryPostgres({ keepsCommits: true });
  const sql = new pg.Pool({ connectionString: postgres.url, max: 4, application_name: 'soak' });
  const database = await openFreezingProxy(postgres.url);
  const mcp = await openMcp();
  const receiver = await openReceiver();
  const model = await openModel();
  const configDir = await writeConfig(configOf({ mcpUrl: mcp.url, hookUrl: receiver.url }));
  const env = {
    ...{ DATABASE_URL: database.url, LLM_SERVICE_ADDR: model.address, CONFIG_DIR: configDir },
    ...{ TMPDIR: temporaryDir, HOOK_SECRET: 'whsec_c29hayBzZWNyZXQgb2Ygc29hayBzZWNyZXQgb2Yg' },
  };
  const apis = [await openProcess('api 1', env), await openProcess('api 2', env)];
  const workers = [await openProcess('worker 1', env), await openProcess('worker 2', env)];
  return {
    ...{ apis, workers, database, model, mcp, receiver, sql, temporaryDir },
    async stop() {
      await Promise.all([...apis, ...workers].map((one) => one.kill()));
      model.kill();
      await mcp.kill();
      receiver.close();
      await sql.end();
      await database.close();
      await postgres.stop();
      await rm(configDir, { recursive: true });
      await rm(temporaryDir, { recursive: true });
    },
  };
}

function configOf({ mcpUrl, hookUrl }: { mcpUrl: string; hookUrl: string }): Record<string, unknown> {
  return testConfig({
    system: {
      streams: { connections_per_client: 100_000 },
      retention: { session_retention_days: KEPT_DAYS, grace_days: 0, cleanup_interval: '24h' },
    },
    queue: {
      max_concurrent_sessions: 12,
      worker_concurrency: 6,
      heartbeat_interval: '1s',
      lease_duration: '10s',
    },
    tools: { transport: { type: 'http', url: `${mcpUrl}/mcp`, bearer_token: TOKEN } },
    budgets: { everything: { per: 'day', limit_tokens: 500, degrade: ['fewer_iterations'] } },
    intake: intakeConfig({
      rules: [{ name: 'soon', group_wait: '1s', reinvestigate_after: '1s' }],
      storm: { groups: 10_000 },
    }),
    notifications: {
      channels: {
        hook: { kind: 'webhook', url: hookUrl, secrets_env: ['HOOK_SECRET'], allow_private: true },
      },
      rules: [{ events: ['session.ended'], channels: ['hook'] }],
    },
  });
}

async function openProcess(name: string, env: Record<string, string>): Promise<Replaceable> {
  const role = name.startsWith('api') ? 'api' : 'worker';
  const port = `${await freePort()}`;
  const launch = () => startProcess(role, { ...env, HTTP_PORT: port });
  let current: TarsyProcess = await launch();
  return {
    name,
    url: current.url,
    get pid() {
      return current.child.pid!;
    },
    signal: (signal) => void current.child.kill(signal),
    kill: () => current.end('SIGKILL'),
    async start() {
      current = await launch();
    },
  };
}

async function openModel() {
  const fork = (port: number) => forkBench(import.meta.resolve('./model.ts'), { SOAK_MODEL_PORT: `${port}` });
  let child: ChildProcess = fork(0);
  const address = await nextMessage<string>(child, 'address');
  const port = Number(address.split(':').at(-1));
  return {
    address,
    kill: () => void child.kill('SIGKILL'),
    async start() {
      child = fork(port);
      await nextMessage(child, 'address');
    },
  };
}

async function openMcp() {
  let server: HttpMcpServer = await startHttpMcp(TOKEN);
  const { url } = server;
  return {
    url,
    kill: () => server.close().catch(() => {}),
    async start() {
      server = await startHttpMcp(TOKEN, undefined, { port: Number(new URL(url).port) });
    },
  };
}

async function openReceiver(): Promise<Receiver & { url: string; close(): void }> {
  const ids = new Set<string>();
  const server = createServer((request, response) => {
    request.resume();
    if (receiver.mode === 'hang') return;
    if (receiver.mode === 'answer') ids.add(String(request.headers['webhook-id']));
    request.once('end', () => response.writeHead(receiver.mode === 'answer' ? 200 : 503).end());
  });
  const url = `http://127.0.0.1:${await listenOn(server)}/hook`;
  const receiver = {
    ...{ mode: 'answer' as Receiver['mode'], ids, url },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
