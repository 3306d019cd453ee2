import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import { startCluster } from '../helpers/cluster.ts';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/postgres.ts';
import { startProcess, type TarsyProcess } from '../helpers/process.ts';
import { forkBench, nextMessage, residentMemory } from './children.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

const STARTS = scaled(1, 7);
const SUBSCRIBERS = scaled(20, 1000);
const SESSIONS = scaled(4, 50);

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  const system = { streams: { connections_per_client: 10_000 } };
  env = { DATABASE_URL: database.url, CONFIG_DIR: await writeConfig(testConfig({ system })) };
});
afterAll(() => database.drop());

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begun = performance.now();
  const result = await work();
  return [result, performance.now() - begun];
}

test('cold start of the API while its database runs', async () => {
  const plain = import.meta.resolve('./intake/plain-server.ts');
  const ours: number[] = [];
  const least: number[] = [];
  for (let n = 0; n < STARTS + 1; n += 1) {
    const [bare, bareMs] = await timed(async () => {
      const child = forkBench(plain, { ...env, NODE_ENV: 'production' });
      await nextMessage(child, 'port');
      return child;
    });
    bare.kill();
    const [api, ms] = await timed(() => startProcess('api', env));
    await api.end('SIGTERM');
    if (n === 0) continue; // files are not cached in memory for the first run
    least.push(bareMs);
    ours.push(ms);
  }
  const figure = { unit: 'ms', baseline: percentile(least, 0.5), baselineName: 'yoga and pg alone' };
  report({ ...figure, name: 'start of an API process until ready, p50', value: percentile(ours, 0.5) });
  report({ ...figure, name: 'start of an API process until ready, slowest', value: Math.max(...ours) });
});

test('memory of the API: idle, and per subscriber', async () => {
  const api = await startProcess('api', env);
  const clients = forkBench(import.meta.resolve('./fanout/clients.ts'));
  try {
    const idle = await settledMemory(api);
    report({
      name: 'memory of an idle API process',
      value: idle / 2 ** 20,
      unit: 'MiB',
      baseline: 200,
      baselineName: 'target',
    });
    const sessionId = await apiClient(api.url!).submit('Watch');
    const ready = nextMessage(clients, 'ready');
    clients.send({ connect: { port: Number(new URL(api.url!).port), count: SUBSCRIBERS, sessionId } });
    await ready;
    const watched = await settledMemory(api);
    report({
      name: `memory of a subscriber, ${SUBSCRIBERS} of them`,
      value: (watched - idle) / SUBSCRIBERS / 1000,
      unit: 'kB',
      baseline: 60,
      baselineName: 'target',
    });
    expect(watched).toBeGreaterThan(idle);
  } finally {
    clients.kill();
    await api.end('SIGTERM');
  }
});

test('memory of a worker: idle, and per running session', async () => {
  const cluster = await startCluster({ queue: { max_concurrent_sessions: SESSIONS } });
  try {
    const worker = await cluster.startWorker();
    const idle = await settledMemory(worker);
    cluster.llm.otherwise([{ text: 'I think. ' }, { hang: true }]);
    const last = cluster.llm.call(SESSIONS - 1);
    for (let n = 0; n < SESSIONS; n += 1) await cluster.api.submit(`Alert ${n}`);
    await last;
    const busy = await settledMemory(worker);
    const none = { baseline: null, baselineName: null };
    report({ name: 'memory of an idle worker process', value: idle / 2 ** 20, unit: 'MiB', ...none });
    report({
      name: `memory of a session that runs, ${SESSIONS} of them, MCP servers not counted`,
      value: (busy - idle) / SESSIONS / 1000,
      unit: 'kB',
      ...none,
    });
  } finally {
    await cluster.stop();
  }
});

const LOOKS = 10;
const LOOK_MS = scaled(20, 200);

/** Returns the smallest of several readings, because garbage may not be collected yet. */
async function settledMemory({ child }: TarsyProcess): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < LOOKS; look += 1) {
    await new Promise((later) => setTimeout(later, LOOK_MS));
    least = Math.min(least, await residentMemory(child.pid!));
  }
  return least;
}
