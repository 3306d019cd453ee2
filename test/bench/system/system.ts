import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { testConfig, writeConfig } from '../../helpers/config.ts';
import { freePort } from '../../helpers/free-port.ts';
import { startHttpMcp } from '../../helpers/mcp/http-server.ts';
import { NATS_SERVER, startNatsServer } from '../../helpers/nats-server.ts';
import { startProcess, type TarsyProcess } from '../../helpers/process.ts';
import { startTemporaryPostgres } from '../../helpers/temporary-postgres.ts';
import { forkBench, nextMessage } from '../children.ts';
import { OPTIONS } from './options.ts';
import type { Measured } from './sampler.ts';

/** Everything that a run needs, each part in a process of its own. */
export interface System {
  apis: TarsyProcess[];
  workers: TarsyProcess[];
  measured: Measured[];
  model: ChildProcess;
  sql: pg.Pool;
  stop(): Promise<void>;
}

/** A database that keeps what it commits, as in production, with connections for 10 API processes and 20 workers. */
const SETTINGS = {
  ...{ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' },
  max_connections: '1200',
};
const TOKEN = 'bench-token';

export async function startSystem(): Promise<System> {
  const { apis, workers, sessions, bus } = OPTIONS;
  if (bus === 'nats' && NATS_SERVER === null) throw new Error('SCALE_BUS=nats needs nats-server');
  const database = await startTemporaryPostgres({ settings: SETTINGS });
  const sql = new pg.Pool({ connectionString: database.url, max: 2, application_name: 'bench' });
  const nats = bus === 'nats' ? await startNatsServer() : null;
  const model = forkBench(import.meta.resolve('./model.ts'));
  const mcp = await startHttpMcp(TOKEN);
  const configDir = await writeConfig({
    ...testConfig({
      system: { streams: { connections_per_client: 100_000 } },
      queue: {
        ...{
          max_concurrent_sessions: Math.min(1000, sessions),
          worker_concurrency: Math.ceil(sessions / workers),
        },
        ...{ heartbeat_interval: '10s', lease_duration: '60s' },
      },
      defaults: { max_iterations: 200 },
      tools: { transport: { type: 'http', url: `${mcp.url}/mcp`, bearer_token: TOKEN } },
    }),
    ...(nats && { events: { bus, nats: { servers: [nats.url] } } }),
  });
  const env = {
    DATABASE_URL: database.url,
    LLM_SERVICE_ADDR: await nextMessage<string>(model, 'address'),
    CONFIG_DIR: configDir,
  };
  const measured: Measured[] = [];
  async function start(role: 'api' | 'worker', number: number): Promise<TarsyProcess> {
    const port = await freePort();
    const started = await startProcess(role, { ...env, METRICS_PORT: `${port}` });
    const metrics = `http://127.0.0.1:${port}/metrics`;
    measured.push({ name: `${role} ${number}`, pid: started.child.pid!, metrics });
    return started;
  }
  const all: TarsyProcess[] = [];
  for (let n = 1; n <= apis; n++) all.push(await start('api', n));
  for (let n = 1; n <= workers; n++) all.push(await start('worker', n));
  measured.push({ name: 'model', pid: model.pid!, metrics: null });
  measured.push({ name: 'bench and MCP server', pid: process.pid, metrics: null });
  if (nats) measured.push({ name: 'nats-server', pid: nats.pid, metrics: null });
  return {
    apis: all.slice(0, apis),
    workers: all.slice(apis),
    ...{ measured, model, sql },
    async stop() {
      model.kill();
      await Promise.all(all.map((one) => one.end('SIGKILL')));
      await sql.end();
      await mcp.close();
      await nats?.stop();
      await database.stop();
      await rm(configDir, { recursive: true });
    },
  };
}
