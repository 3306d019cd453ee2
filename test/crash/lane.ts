import { randomUUID } from 'node:crypto';
import { startTemporaryPostgres } from '../../src/db/embedded.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import type { TestConfigOptions } from '../helpers/config.ts';
import { type HttpMcpServer, startHttpMcp } from '../helpers/mcp/http-server.ts';
import { createTestTools } from '../helpers/mcp/test-tools.ts';
import type { TarsyProcess } from '../helpers/process.ts';
import { installWriteGate, type WriteGate } from './gate.ts';
import { EVERY } from './sweep.ts';

/** Enough for a machine that is so busy that leases are lost by themselves now and then. */
const QUEUE = { lease_duration: '1500ms', heartbeat_interval: '300ms', max_attempts: 20 };

/** One place after the other is disturbed here; lanes share nothing but the machine. */
export interface Lane {
  cluster: Cluster;
  gate: WriteGate;
  /** What the tool `note` was really called with, ever. */
  notes: readonly string[];
  /** Starts workers until there are so many that nobody disturbs. */
  fill(count: number): Promise<void>;
  /** The worker with this application name; it does not count as undisturbed any more. */
  take(name: string): TarsyProcess;
  /** Stops and starts the database server, which must be the lane's own. */
  restartDatabase(): Promise<void>;
  stop(): Promise<void>;
}

/** @param options.ownServer whether the lane has a database server of its own, whose commits survive a restart */
async function openLane(options: TestConfigOptions & { ownServer?: boolean }): Promise<Lane> {
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
      queue: QUEUE,
      mcpServers: { tools: httpTools(tools, token) },
      ...(server ? { database: { url: server.url, drop: async () => {} } } : {}),
    });
    releases.push(() => cluster.stop());
    const gate = await installWriteGate(cluster.database.url);
    releases.push(() => gate.end());
    const restartDatabase = async () => {
      if (!server) throw new Error('the lane shares its server');
      await server.restart();
    };
    return { cluster, gate, notes, ...workersOf(cluster), restartDatabase, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** In the test's process: each agent of each place would otherwise start a process for its tools. */
function httpTools({ url }: HttpMcpServer, token: string) {
  return { transport: { type: 'http', url: `${url}/mcp`, bearer_token: token } };
}

function workersOf(cluster: Cluster): Pick<Lane, 'fill' | 'take'> {
  const workers = new Map<string, TarsyProcess>();
  let started = 0;
  return {
    async fill(count) {
      while (workers.size < count) {
        started += 1;
        const name = `tarsy-worker-${started}`;
        workers.set(name, await cluster.startWorker(name));
      }
    },
    take(name) {
      const worker = workers.get(name);
      if (!worker) throw new Error(`there is no worker ${name}`);
      workers.delete(name);
      return worker;
    },
  };
}

/** Lanes side by side: much of a place's time is waiting for a lease to run out. A few places are not worth many lanes. */
const LANES = Number(process.env.CRASH_LANES ?? (EVERY < 10 ? 4 : 2));

/** @returns lanes that are ready, all of them or none */
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
