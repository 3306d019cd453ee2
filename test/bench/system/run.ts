import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { apiClient } from '../../helpers/api.ts';
import { forkBench, nextMessage } from '../children.ts';
import { percentile } from '../report.ts';
import { OPTIONS } from './options.ts';
import { lineOf, type Received, type SubscriberReport, type Target } from './protocol.ts';
import { CORES, type Measured, type Samples, startSampler } from './sampler.ts';
import { type System, startSystem } from './system.ts';
import { costsOf, limitsOf } from './verdict.ts';

/**
 * Runs API processes, workers, sessions and subscribers at once, compares what each subscriber received with the
 * database, and names what saturates first. `npm run bench:scale` starts it; `options.ts` has the sizes.
 */

/** Subscribers of one process. */
const SUBSCRIBERS_EACH = 1_000;
/** Time for the sessions to begin before the measurement (s), and to end after it (s). */
const WARM_UP_S = 10;
const END_S = 180;

/** Writes what the bench does now. */
const tell = (step: string): void =>
  void process.stdout.write(`${Math.round(performance.now() / 1000)} s: ${step}\n`);

tell(`starting ${JSON.stringify(OPTIONS)}`);
const system = await startSystem();
try {
  await run(system);
} finally {
  await system.stop();
}

async function run({ apis, measured, model, sql }: System): Promise<void> {
  const { seconds, sessions, subscribers } = OPTIONS;
  tell('submitting sessions');
  const clients = apis.map(({ url }) => apiClient(url!));
  const ids = await Promise.all(
    Array.from({ length: sessions }, (_, n) => clients[n % clients.length]!.submit(`Alert ${n}`)),
  );
  const targets = Array.from({ length: subscribers }, (_, n) => ({
    port: Number(new URL(apis[n % apis.length]!.url!).port),
    sessionId: ids[Math.floor(n / apis.length) % ids.length]!,
  }));
  tell('subscribing');
  const followers = await follow(targets, measured);
  tell('warming up');
  await delay(WARM_UP_S * 1000);
  tell('measuring');
  await reportsOf(followers); // forgets the latencies until now
  const sampler = await startSampler(measured, sql);
  await delay(seconds * 1000);
  const samples = await sampler.stop();
  const during = await reportsOf(followers);
  tell('waiting for the sessions to end');
  model.send({ until: Date.now() });
  const received = await untilEnded(followers);
  tell('comparing with the database');
  await compare(received);

  const latencies = during.flatMap((report) => report.latencies);
  const messages = during.reduce((sum, report) => sum + report.messages, 0);
  const limits = limitsOf(samples);
  const figures = {
    'subscribers complete and equal to the database': `${received.length} of ${subscribers}`,
    'connections of subscribers': received.reduce((sum, { connections }) => sum + connections, 0),
    'messages to subscribers, a second': (messages / samples.seconds).toFixed(0),
    'used by other work on this machine': `${otherCores(samples).toFixed(2)} cores`,
    'model to subscriber, p50 / p99': `${percentile(latencies, 0.5).toFixed(0)} / ${percentile(latencies, 0.99).toFixed(0)} ms`,
    'notices a second': `${samples.notices.postgres!.toFixed(0)} by NOTIFY, ${samples.notices.nats!.toFixed(0)} by NATS`,
    'transactions a second': samples.commits.toFixed(0),
  };
  process.stdout.write(
    `\n${Object.entries(figures)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}\n`,
  );
  console.table(
    Object.fromEntries(
      limits.map(({ name, share, figure, remedy }) => [
        name,
        {
          used: `${Math.round(share * 100)} %`,
          'full at': share < 0.005 ? '' : `${(1 / share).toFixed(1)} ×`,
          figure,
          remedy,
        },
      ]),
    ),
  );
  const cores = Object.entries(samples.cores)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 12);
  process.stdout.write(`cores: ${cores.map(([name, used]) => `${name} ${used.toFixed(2)}`).join(', ')}\n`);
  const costs = Object.entries(costsOf(samples, { sessions, messages }));
  process.stdout.write(`costs: ${costs.map(([name, cost]) => `${name} ${cost}`).join('; ')}\n`);
  const first = limits.find(({ isForeign }) => !isForeign);
  process.stdout.write(`First to saturate: ${first!.name} (${first!.figure}). Remedy: ${first!.remedy}.\n`);
  process.stdout.write(`${JSON.stringify({ options: OPTIONS, figures, samples, limits })}\n`);

  /** Compares each subscriber with the stored events. @throws Error naming the first that differs */
  async function compare(all: readonly Received[]): Promise<void> {
    const stored = new Map<string, { seq: number; checksum: number }>();
    for (const id of ids) {
      const key = Buffer.from(id, 'base64').toString().split(':')[1];
      const { rows } = await sql.query<{ seq: number; type: string; content: string }>(
        `select seq, type, case when type = 'TimelineEventCompleted' then payload ->> 'content' else '' end as content
         from session_events where session_id = $1 order by seq`,
        [key],
      );
      const checksum = rows.reduce((sum, row) => crc32(lineOf(row.seq, row.type, row.content), sum), 0);
      stored.set(id, { seq: rows.at(-1)?.seq ?? 0, checksum });
    }
    for (const one of all) {
      const { seq, checksum } = stored.get(one.sessionId)!;
      if (one.problem !== null || !one.ended || one.seq !== seq || one.checksum !== checksum)
        throw new Error(`a subscriber differs from the database: ${JSON.stringify({ one, seq, checksum })}`);
    }
  }
}

/** Returns the cores that processes outside of this run used. */
function otherCores({ machine, cores }: Samples): number {
  return Math.max(0, machine * CORES - Object.values(cores).reduce((sum, used) => sum + used, 0));
}

/** Starts the subscribers, and waits until each has received an item. */
async function follow(targets: readonly Target[], measured: Measured[]): Promise<ChildProcess[]> {
  const followers: ChildProcess[] = [];
  for (let n = 0; n < targets.length; n += SUBSCRIBERS_EACH) {
    const child = forkBench(import.meta.resolve('./subscribers.ts'));
    measured.push({ name: `subscribers ${followers.push(child)}`, pid: child.pid!, metrics: null });
    const ready = nextMessage(child, 'ready');
    child.send({ connect: targets.slice(n, n + SUBSCRIBERS_EACH) });
    await ready;
  }
  return followers;
}

async function reportsOf(followers: readonly ChildProcess[]): Promise<SubscriberReport[]> {
  return Promise.all(
    followers.map((child) => {
      const report = nextMessage<SubscriberReport>(child, 'report');
      child.send({ ask: true });
      return report;
    }),
  );
}

async function untilEnded(followers: readonly ChildProcess[]): Promise<Received[]> {
  const until = performance.now() + END_S * 1000;
  for (;;) {
    const received = (await reportsOf(followers)).flatMap((report) => report.received);
    if (received.every(({ ended }) => ended) || performance.now() > until) {
      for (const child of followers) child.kill();
      return received;
    }
    await delay(500);
  }
}
