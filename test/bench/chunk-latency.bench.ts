import type { ChildProcess } from 'node:child_process';
import { loadavg } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { cpuSeconds, DEFAULT_LEASE, forkBench, nextMessage } from './children.ts';
import { type Report, stampedPiece } from './fanout/protocol.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

/** Number of pieces, enough for a meaningful p99. A single stall of the machine would decide that of a hundred pieces. */
const PIECES = scaled(5, 120);
const PIECE_UNITS = 24;

/** As fast as a model usually writes (ms between pieces): pieces wait for each other. */
const USUAL_MS = 10;
/** Slower than pieces are collected, so that each is forwarded at once (ms). */
const SLOW_MS = 100;

/**
 * Subscribers, time between pieces (ms), and the upper bound of p99 from the LLM service to the subscriber (ms). The first
 * run warms up all processes.
 */
const RUNS: readonly (readonly [number, number, number | null])[] = scaled(
  [[10, SLOW_MS, null]],
  [
    [20, SLOW_MS, null],
    [100, SLOW_MS, 15],
    [500, SLOW_MS, 40],
    [500, USUAL_MS, 25],
  ],
);

/**
 * Pieces for the cost of one watcher, a minute of them. In the first ten seconds, compilation and garbage of the start take a
 * third of the processor time.
 */
const WATCHED = scaled(20, 6000);

let cluster: Cluster;
let servers: number[];
let clients: ChildProcess;
beforeAll(async () => {
  cluster = await startCluster({ queue: DEFAULT_LEASE });
  const worker = await cluster.startWorker();
  servers = [cluster.apiProcess, worker].map(({ child }) => child.pid!);
  clients = forkBench(import.meta.resolve('./fanout/clients.ts'));
});
afterAll(async () => {
  clients.kill();
  await cluster.stop();
});

/** Returns the processor time of the API and the worker so far (s). */
const used = async () => (await Promise.all(servers.map(cpuSeconds))).reduce((sum, each) => sum + each);

/**
 * Streams one text to `count` subscribers. Returns also the share of a core that the API and the worker used from the first
 * piece to the last.
 */
async function stream(
  count: number,
  pieces: { count: number; everyMs: number },
): Promise<Report & { share: number }> {
  const [start, end] = [`start ${count}`, `end ${count}`];
  // Built, and so given its time, when gRPC reads the message.
  const piece = {
    get text() {
      return stampedPiece(PIECE_UNITS);
    },
  };
  const script = Array.from({ length: pieces.count }, () => [piece, { waitMs: pieces.everyMs }]).flat();
  cluster.llm.script([{ gate: start }, ...script, { gate: end }], { text: 'In short.' });
  const sessionId = await cluster.api.submit('Measure');
  await cluster.llm.reached(start);
  const ready = nextMessage(clients, 'ready');
  const port = Number(new URL(cluster.apiUrl).port);
  clients.send({ connect: { port, count, sessionId } });
  await ready;

  const reported = nextMessage<Report>(clients, 'report');
  clients.send({ finish: pieces.count * PIECE_UNITS });
  const [before, begun] = [await used(), performance.now()];
  cluster.llm.open(start);
  const result = await reported;
  const share = ((await used()) - before) / ((performance.now() - begun) / 1000);
  const left = nextMessage(clients, 'left');
  clients.send({ leave: true });
  await left;
  cluster.llm.open(end);
  await cluster.api.waitFor(sessionId, ({ status }) => status === 'COMPLETED');
  expect(result.complete).toBe(count);
  return { ...result, share };
}

test.each(RUNS)('latency to %i subscribers, a piece every %i ms', async (count, everyMs, target) => {
  const pieces = (PIECES * SLOW_MS) / everyMs;
  const { latencies } = await stream(count, { count: pieces, everyMs });
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  const name = `LLM service's wire to ${count} subscribers, a piece every ${everyMs} ms`;
  const load = loadavg()[0]!.toFixed(1);
  process.stdout.write(`${name}: p50/p99 ${p50.toFixed(1)}/${p99.toFixed(1)} ms, load ${load}\n`);
  const baselineName = target === null ? null : 'target';
  report({ name: `${name}, p99`, value: p99, unit: 'ms', baseline: target, baselineName });
});

test('processor time of the API and the worker for one watcher', async () => {
  const { share } = await stream(1, { count: WATCHED, everyMs: USUAL_MS });
  report({
    name: 'share of a core, one watcher of 100 pieces a second',
    value: share * 100,
    unit: '%',
    baseline: 6,
    baselineName: 'target',
  });
});
