import { totalmem } from 'node:os';
import { CORES, type Samples } from './sampler.ts';

/** A limit of the system, and how near this run came to it. */
export interface Limit {
  name: string;
  /** Used share of the limit; 1 = saturated. */
  share: number;
  figure: string;
  remedy: string;
  /** True if other work on the machine is the cause, so that the limit says nothing about this load. */
  isForeign?: boolean;
}

const MEMORY_MIB = totalmem() / 2 ** 20;
/** Delay of an event loop that viewers notice (ms). */
const LOOP_MS = 100;
/** Busy share of the machine from which processes wait for it, and share of a core from which a process is busy itself. */
const FULL = 0.9;
const BUSY = 0.5;
/** Heap of a process as `scripts/lib/node-options.mjs` sets it (MiB). */
const HEAP_MIB = 2048;

const LOCKS = /^(?:Lock|LWLock):/;
/** Waits for WAL. One backend flushes at a time, also for those that wait for it. */
const WAL = /WAL/i;
const FLUSH = /^IO:Wal/i;
/** Processes of the bench, which a real installation does not have on its machines. */
const BENCH = /^(?:model|bench|subscribers)/;

/** Returns the costs of the units of work, from which larger loads can be extrapolated. */
export function costsOf(
  { cores, seconds, walBytes, notices }: Samples,
  { sessions, messages }: { sessions: number; messages: number },
): Record<string, string> {
  const used = (kind: RegExp) =>
    Object.entries(cores).reduce((sum, [name, value]) => sum + (kind.test(name) ? value : 0), 0);
  const sent = Math.max(1, notices.postgres ?? 0, notices.nats ?? 0);
  const ofNotice = (kind: RegExp) => `${((used(kind) * 1e6) / sent).toFixed(0)} µs a notice`;
  return {
    'API processes': `${((used(/^api/) * seconds * 1e6) / messages).toFixed(0)} µs a message to a subscriber`,
    workers: ofNotice(/^worker/),
    PostgreSQL: ofNotice(/^postgres/),
    'announcing connections': ofNotice(/^postgres: tarsy-announce/),
    WAL: `${(walBytes / 1024 / sessions).toFixed(1)} KiB/s a session`,
    notices: `${(sent / sessions).toFixed(1)} a second a session`,
  };
}

/** Returns the limits, the nearest first. Shares of one core count for the busiest process of a kind. */
export function limitsOf(samples: Samples): Limit[] {
  const { cores, loopMs, memoryMiB, waits } = samples;
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const waiting = (of: RegExp, not: RegExp = /(?!)/) =>
    Object.entries(waits)
      .filter(([name]) => of.test(name) && !not.test(name))
      .toSorted(([, a], [, b]) => b - a);
  const sum = (entries: readonly (readonly [string, number])[]) => entries.reduce((all, [, n]) => all + n, 0);
  const named = (entries: readonly (readonly [string, number])[]) =>
    entries
      .slice(0, 3)
      .map(([name, n]) => `${name} ${n.toFixed(2)}`)
      .join(', ') || 'none';
  const busiest = (kind: RegExp) => largest(cores, kind);
  const api = busiest(/^api/);
  const worker = busiest(/^worker/);
  const announcing = busiest(/^postgres: tarsy-announce/);
  const nats = busiest(/^nats/);
  const loop = largest(loopMs, /./);
  const memory = largest(memoryMiB, /^(?:api|worker)/);
  const bench = sum(Object.entries(cores).filter(([name]) => BENCH.test(name)));
  const servers = sum(Object.entries(cores)) - bench;
  const database = sum(Object.entries(cores).filter(([name]) => name.startsWith('postgres')));
  const memoryOfAll = sum(Object.entries(memoryMiB));
  const locks = waiting(LOCKS, WAL);
  const wal = waiting(WAL);
  // A process that waits for a processor is late without being busy.
  const isForeign = samples.machine > FULL && (cores[loop.name] ?? 0) < BUSY;
  const limits: Limit[] = [
    {
      name: 'processors of the machine',
      share: (servers + bench) / CORES,
      figure: `${(servers + bench).toFixed(2)} of ${CORES} cores: servers ${servers.toFixed(2)}, model and subscribers ${bench.toFixed(2)}`,
      remedy: 'more cores, or database, workers and API on machines of their own',
    },
    {
      name: 'processor of an API process',
      share: api.value,
      figure: `${percent(api.value)} of a core: ${api.name}`,
      remedy: 'more API processes',
    },
    {
      name: 'processor of a worker process',
      share: worker.value,
      figure: `${percent(worker.value)} of a core: ${worker.name}`,
      remedy: 'more worker processes',
    },
    {
      name: 'processors of PostgreSQL',
      share: database / CORES,
      figure: `${database.toFixed(2)} of ${CORES} cores`,
      remedy: 'a larger database server; events.bus: nats takes the announcements',
    },
    {
      name: 'announcing connections',
      share: announcing.value / CORES,
      figure: `${announcing.value.toFixed(2)} cores in all backends tarsy-announce`,
      remedy: 'events.bus: nats',
    },
    {
      name: 'event loop',
      share: loop.value / LOOP_MS,
      figure: `p99 ${loop.value.toFixed(0)} ms of ${LOOP_MS} ms: ${loop.name}${isForeign ? ', because other work took the processors' : ''}`,
      isForeign,
      remedy: 'more processes of that kind',
    },
    {
      name: 'database connections',
      share: samples.connections / samples.maxConnections,
      figure: `${samples.connections.toFixed(0)} of ${samples.maxConnections}`,
      remedy: 'DATABASE_POOLER_URL, or a larger max_connections',
    },
    {
      name: 'locks',
      share: sum(locks),
      figure: `${sum(locks).toFixed(2)} backends wait at a time: ${named(locks)}`,
      remedy: 'events.bus: nats for NOTIFY; else fewer writers at once (queue.max_concurrent_sessions)',
    },
    {
      name: 'WAL',
      share: sum(waiting(FLUSH)),
      figure: `${(samples.walBytes / 2 ** 20).toFixed(2)} MiB/s, a flush is under way for that share of the time; waiting backends: ${named(wal)}`,
      remedy: 'a faster disk for pg_wal',
    },
    {
      name: 'memory of a process',
      share: memory.value / HEAP_MIB,
      figure: `${memory.value.toFixed(0)} MiB of ${HEAP_MIB}: ${memory.name}`,
      remedy: 'more processes of that kind',
    },
    {
      name: 'memory of the machine',
      share: memoryOfAll / MEMORY_MIB,
      figure: `${memoryOfAll.toFixed(0)} of ${MEMORY_MIB.toFixed(0)} MiB, without PostgreSQL`,
      remedy: 'more memory',
    },
    ...(nats.name === ''
      ? []
      : [
          {
            name: 'processor of NATS',
            share: nats.value / CORES,
            figure: `${nats.value.toFixed(2)} cores`,
            remedy: 'a cluster of NATS',
          },
        ]),
  ];
  return limits.toSorted((a, b) => b.share - a.share);
}

function largest(values: Readonly<Record<string, number>>, kind: RegExp): { name: string; value: number } {
  const [name = '', value = 0] =
    Object.entries(values)
      .filter(([one]) => kind.test(one))
      .toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return { name, value };
}
