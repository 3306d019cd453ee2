import type { ChildProcess } from 'node:child_process';
import { loadavg } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { forkBench, nextMessage } from './children.ts';
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

let cluster: Cluster;
let clients: ChildProcess;
beforeAll(async () => {
  cluster = await startCluster();
  await cluster.startWorker();
  clients = forkBench(import.meta.resolve('./fanout/clients.ts'));
});
afterAll(async () => {
  clients.kill();
  await cluster.stop();
});

test.each(COUNTS)('latency from the wire of the LLM service to %i subscribers', async (count) => {
  const [start, end] = [`start ${count}`, `end ${count}`];
  // Built, and so given its time, when gRPC reads the message.
  const piece = {
    get text() {
      return stampedPiece(PIECE_UNITS);
    },
  };
  const pieces = Array.from({ length: PIECES }, () => [piece, { waitMs: EVERY_MS }]).flat();
  cluster.llm.script([{ gate: start }, ...pieces, { gate: end }], { text: 'In short.' });
  const sessionId = await cluster.api.submit('Measure');
  await cluster.llm.reached(start);
  const ready = nextMessage(clients, 'ready');
  const port = Number(new URL(cluster.apiUrl).port);
  clients.send({ connect: { port, count, sessionId } });
  await ready;

  const reported = nextMessage<Report>(clients, 'report');
  clients.send({ finish: PIECES * PIECE_UNITS });
  cluster.llm.open(start);
  const { complete, latencies } = await reported;
  const left = nextMessage(clients, 'left');
  clients.send({ leave: true });
  await left;
  cluster.llm.open(end);
  await cluster.api.waitFor(sessionId, ({ status }) => status === 'COMPLETED');

  expect(complete).toBe(count);
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
