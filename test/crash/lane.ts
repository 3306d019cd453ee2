import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import type { TestConfigOptions } from '../helpers/config.ts';
import { type FreezingProxy, openFreezingProxy } from '../helpers/freezing-proxy.ts';
import { type HttpMcpServer, startHttpMcp } from '../helpers/mcp/http-server.ts';
import { createTestTools } from '../helpers/mcp/test-tools.ts';
import type { TarsyProcess } from '../helpers/process.ts';
import { startTemporaryPostgres } from '../helpers/temporary-postgres.ts';
import { EVERY, installWriteGate, type WriteGate } from './gate.ts';

const NAME_OUTAGE = resolve(import.meta.dirname, '../outage/name-outage.mjs');

/** Many attempts, because on a busy machine a lease sometimes expires without a disturbance. */
const QUEUE = { lease_duration: '1500ms', heartbeat_interval: '300ms', max_attempts: 20 };

type LaneOptions = TestConfigOptions & {
  ownServer?: boolean;
  policies?: Record<string, object[]>;
  proxied?: boolean;
};

/** An installation in which one write after the other is disturbed. Lanes share only the machine. */
export interface Lane {
  cluster: Cluster;
  gate: WriteGate;
  /** All executed calls of the tool `note`. */
  notes: readonly string[];
  /** Starts workers until `count` workers run that were not disturbed. */
  fill(count: number): Promise<void>;
  /** Returns the worker with this application name, and no longer counts it as undisturbed. */
  take(name: string): TarsyProcess;
  /** The proxy between the workers and the database, if the lane is proxied. */
  proxy: FreezingProxy;
  /** Path of a file. While it exists, workers of a proxied lane cannot resolve the database's name. */
  nameOutage: string;
  /** Workers that exited although the test did not end them. */
  readonly ended: readonly string[];
  /** Restarts the database server, which must belong to the lane. */
  restartDatabase(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Opens a lane.
 * @param options.ownServer true if the lane has its own database server, whose commits survive a restart
 * @param options.policies servers with the same tools, by name
 * @param options.proxied true if the workers reach the database by name through a proxy
 */
async function openLane(options: LaneOptions): Promise<Lane> {
  const notes: string[] = [];
  const releases: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const release of releases.splice(0).reverse()) await release();
  };
  try {
    const server = options.ownServer ? await startTemporaryPostgres({ keepsCommits: true }) : null;
    if (server) releases.push(() => server.stop());
    const token = randomUUID();
    const createMcp = () => createTestTools((said) => void notes.push(said));
    const tools = await startHttpMcp(token, undefined, { createMcp });
    releases.push(() => tools.close());
    const cluster = await startCluster({
      ...options,
      queue: { ...QUEUE, ...options.queue },
      mcpServers: {
        tools: { ...httpTools(tools, token), allow_changes: true },
        ...Object.fromEntries(
          Object.entries(options.policies ?? {}).map(([name, policy]) => [
            name,
            { ...httpTools(tools, token), policy },
          ]),
        ),
      },
      ...(server ? { database: { url: server.url, drop: async () => {} } } : {}),
    });
    releases.push(() => cluster.stop());
    const gate = await installWriteGate(cluster.database.url);
    releases.push(() => gate.end());
    const proxy = await openFreezingProxy(cluster.database.url);
    releases.push(() => proxy.close());
    const nameOutage = join(tmpdir(), `tarsy-name-outage-${randomUUID()}`);
    releases.push(() => rm(nameOutage, { force: true }));
    const way = options.proxied ? throughProxy(proxy, nameOutage) : {};
    const restartDatabase = async () => {
      if (!server) throw new Error('the lane shares its server');
      await server.restart();
    };
    return Object.assign(workersOf(cluster, way), {
      cluster,
      gate,
      notes,
      proxy,
      nameOutage,
      restartDatabase,
      stop,
    });
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Settings of tools that run in the test's process, because otherwise every agent of every run would start a
 * process.
 */
function httpTools({ url }: HttpMcpServer, token: string) {
  return { transport: { type: 'http', url: `${url}/mcp`, bearer_token: token } };
}

/**
 * Environment variables of a worker that reaches the database through the proxy under the name
 * `database.test`.
 */
function throughProxy(proxy: FreezingProxy, nameOutage: string): Record<string, string> {
  const url = new URL(proxy.url);
  url.hostname = 'database.test';
  return { DATABASE_URL: url.href, NODE_OPTIONS: `--import=${NAME_OUTAGE}`, NAME_OUTAGE: nameOutage };
}

function workersOf(cluster: Cluster, env: Record<string, string>): Pick<Lane, 'fill' | 'take' | 'ended'> {
  const workers = new Map<string, TarsyProcess>();
  let started = 0;
  return {
    async fill(count) {
      while (workers.size < count) {
        started += 1;
        const name = `tarsy-worker-${started}`;
        workers.set(name, await cluster.startWorker(name, env));
      }
    },
    get ended() {
      return [...workers].filter(([, { child }]) => child.exitCode !== null).map(([name]) => name);
    },
    take(name) {
      const worker = workers.get(name);
      if (!worker) throw new Error(`there is no worker ${name}`);
      workers.delete(name);
      return worker;
    },
  };
}

/**
 * Number of parallel lanes. Runs mostly wait for a lease to expire, so several fit on the machine; a short
 * sweep needs few.
 */
const LANES = Number(process.env.CRASH_LANES ?? (EVERY < 10 ? 4 : 2));

/** Opens all lanes or fails. @returns lanes that are ready */
export async function openLanes(options: Parameters<typeof openLane>[0]): Promise<Lane[]> {
  const settled = await Promise.allSettled(Array.from({ length: LANES }, () => openLane(options)));
  const lanes = settled.filter((lane) => lane.status === 'fulfilled').map(({ value }) => value);
  for (const lane of settled) {
    if (lane.status === 'fulfilled') continue;
    await Promise.all(lanes.map(({ stop }) => stop()));
    throw lane.reason;
  }
  return lanes;
}
