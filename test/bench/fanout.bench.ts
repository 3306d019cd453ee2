import type { ChildProcess } from 'node:child_process';
import { loadavg } from 'node:os';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/postgres.ts';
import { startProcess } from '../helpers/process.ts';
import { forkBench, nextMessage } from './children.ts';
import { type Measured, measureFanOut } from './fanout/measure.ts';
import { percentile, report } from './report.ts';
import { SCALE, scaled } from './scale.ts';

const SECONDS = scaled(1, 5);
const MANY = scaled(20, 500);
const COUNTS = scaled([1, 20], [1, 100, 500, 1000]);

let database: TestDatabase;
let pool: pg.Pool;
let clients: ChildProcess;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  clients = forkBench(import.meta.resolve('./fanout/clients.ts'));
});
afterAll(async () => {
  clients.kill();
  await pool.end();
  await database.drop();
});

interface Server {
  pid: number;
  port: number;
  stop(): Promise<unknown>;
}

const servers: Record<string, () => Promise<Server>> = {
  async tarsy() {
    const system = { streams: { connections_per_client: 10_000 } };
    const env = { DATABASE_URL: database.url, CONFIG_DIR: await writeConfig({ ...testConfig(), system }) };
    const { child, url, end } = await startProcess('api', env);
    return { pid: child.pid!, port: Number(new URL(url!).port), stop: () => end('SIGTERM') };
  },
  raw: () => forkServer('raw-server'),
  plain: () => forkServer('plain-server'),
  shared: () => forkServer('shared-server'),
};

async function forkServer(name: string): Promise<Server> {
  const env = { DATABASE_URL: database.url, NODE_ENV: 'production' };
  const child = forkBench(import.meta.resolve(`./fanout/${name}.ts`), env);
  const port = await nextMessage<number>(child, 'port');
  return { pid: child.pid!, port, stop: async () => void child.kill() };
}

async function measure(name: string, counts: number[], seconds: number): Promise<Measured[]> {
  const server = await servers[name]!();
  try {
    const figures: Measured[] = [];
    for (const count of counts) {
      const measured = await measureFanOut({ pool, clients, server, count, seconds });
      figures.push(measured);
      const at = (share: number) => percentile(measured.latencies, share).toFixed(0);
      process.stdout.write(
        `${name} ${count}: p50/p99 ${at(0.5)}/${at(0.99)} ms, ${(measured.cpuShare * 100).toFixed(0)} % of a core, ` +
          `${(measured.cpuPerCharacter * 1000).toFixed(0)} ns/char, complete ${measured.complete}, load ${loadavg()[0]!.toFixed(1)}\n`,
      );
    }
    return figures;
  } finally {
    await server.stop();
  }
}

test('fan-out of one session', { timeout: 600_000 }, async () => {
  const tarsy = await measure('tarsy', COUNTS, SECONDS);
  const raw = await measure('raw', COUNTS, SECONDS);
  const plain = await measure('plain', COUNTS, SECONDS);
  for (const [n, count] of COUNTS.entries()) {
    const [ours, least, usual] = [tarsy[n]!, raw[n]!, plain[n]!];
    expect(ours.complete).toBe(count);
    for (const share of [0.5, 0.99]) {
      report({
        name: `piece to ${count} subscribers, coalescing included, p${share * 100}`,
        value: percentile(ours.latencies, share),
        unit: 'ms',
        baseline: percentile(usual.latencies, share),
        baselineName: 'plain yoga + graphql-ws',
      });
    }
    const perCharacter = { value: ours.cpuPerCharacter * 1000, unit: 'ns' };
    const name = `CPU a delivered character, ${count} subscribers`;
    report({ name, ...perCharacter, baseline: least.cpuPerCharacter * 1000, baselineName: 'raw broadcast' });
    report({
      name: `${name}, against plain`,
      ...perCharacter,
      baseline: usual.cpuPerCharacter * 1000,
      baselineName: 'plain yoga + graphql-ws',
    });
    report({
      name: `share of a core, ${count} subscribers`,
      value: ours.cpuShare * 100,
      unit: '%',
      baseline: least.cpuShare * 100,
      baselineName: 'raw broadcast',
    });
  }
});

test('shared execution without coalescing', { timeout: 300_000 }, async () => {
  const [shared] = await measure('shared', [MANY], SECONDS);
  const [raw] = await measure('raw', [MANY], SECONDS);
  report({
    name: `CPU a delivered character without coalescing, ${MANY} subscribers`,
    value: shared!.cpuPerCharacter * 1000,
    unit: 'ns',
    baseline: raw!.cpuPerCharacter * 1000,
    baselineName: 'raw broadcast of the same JSON',
  });
});

test.runIf(SCALE === 'full')('3,000 subscribers for a minute', { timeout: 300_000 }, async () => {
  const [measured] = await measure('tarsy', [3000], 60);
  expect(measured!.complete).toBe(3000);
  const [before, after] = measured!.memory;
  const figures = { baseline: null, baselineName: null };
  const p99 = percentile(measured!.latencies, 0.99);
  report({ name: 'piece to 3,000 subscribers for a minute, p99', value: p99, unit: 'ms', ...figures });
  report({
    name: 'memory after a minute of 3,000 subscribers',
    value: after / 2 ** 20,
    unit: 'MiB',
    baseline: before / 2 ** 20,
    baselineName: 'before it',
  });
});
