import type { ChildProcess } from 'node:child_process';
import { loadavg } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { cpuSeconds, DEFAULT_LEASE, forkBench, nextMessage } from './children.ts';
import { type Report, stampedPiece } from './fanout/protocol.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

/**
 * Number of pieces, enough for a meaningful p99. A single stall of the machine would decide that of a hundred pieces.
 */
const PIECES = scaled(5, 120);
const PIECE_UNITS = 24;

/** Numbers of subscribers. The first run warms up all processes. */
const COUNTS = scaled([10], [20, 100, 500]);

/**
 * Time between pieces (ms), longer than the time for which the server collects pieces, so that each is
 * forwarded at once.
 */
const EVERY_MS = 100;

/**
 * Upper bounds (ms) by number of subscribers, from the LLM service to the subscriber, without the time of
 * collecting pieces.
 */
const TARGET_MS: Readonly<Record<number, number>> = { 100: 15, 500: 40 };

/** Pieces for the cost of one watcher, and the time between them (ms): as fast as a model usually writes. */
const WATCHED = scaled(20, 1000);
const WATCHED_EVERY_MS = 10;

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

test.each(COUNTS)('latency from the wire of the LLM service to %i subscribers', async (count) => {
  const { latencies } = await stream(count, { count: PIECES, everyMs: EVERY_MS });
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  process.stdout.write(
    `wire to ${count}: p50/p99 ${p50.toFixed(1)}/${p99.toFixed(1)} ms, load ${loadavg()[0]!.toFixed(1)}\n`,
  );
  report({
    name: `piece from the LLM service's wire to ${count} subscribers, p99`,
    value: p99,
    unit: 'ms',
    baseline: TARGET_MS[count] ?? null,
    baselineName: TARGET_MS[count] ? 'target' : null,
  });
});

test('processor time of the API and the worker for one watcher', async () => {
  const { share } = await stream(1, { count: WATCHED, everyMs: WATCHED_EVERY_MS });
  report({
    name: 'share of a core, one watcher of 100 pieces a second',
    value: share * 100,
    unit: '%',
    baseline: 6,
    baselineName: 'target',
  });
});
