import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import type pg from 'pg';
import { pino } from 'pino';
import { runPeriodically } from '../../../src/common/periodic.ts';
import { cpuSeconds, residentMemory } from '../children.ts';

/** A measured process. `metrics` is the address of its /metrics; `null` if it has none. */
export interface Measured {
  name: string;
  pid: number;
  metrics: string | null;
}

/** Averages over the measured time, unless the name says otherwise. */
export interface Samples {
  seconds: number;
  /** Processor time of each process in cores, by name. Database connections count by application. */
  cores: Record<string, number>;
  /** Busy share of the machine's processors (0–1). */
  machine: number;
  /** Largest resident memory of each process (MiB). */
  memoryMiB: Record<string, number>;
  /** 99th percentile of the event loop's delay (ms) by process: median over the measured time. */
  loopMs: Record<string, number>;
  connections: number;
  maxConnections: number;
  /** Backends that wait at the same time, by wait event. */
  waits: Record<string, number>;
  walBytes: number;
  commits: number;
  /** Notices sent by all processes, by bus. */
  notices: Record<string, number>;
}

const EVERY_MS = 1_000;

const BACKENDS = `select pid, coalesce(nullif(application_name, ''), backend_type) as name, backend_type,
  case when state = 'active' then wait_event_type || ':' || wait_event end as wait from pg_stat_activity
  where pid <> pg_backend_pid()`;
const TOTALS = `select pg_current_wal_lsn() - '0/0' as wal, current_setting('max_connections')::int as max,
  (select sum(xact_commit) from pg_stat_database) as commits`;

interface Totals {
  wal: number;
  max: number;
  commits: number;
}

/** Samples the processes and the database each second until `stop`. */
export async function startSampler(processes: readonly Measured[], sql: pg.Pool) {
  const begun = performance.now();
  const first = {
    totals: await totals(),
    machine: await machineTicks(),
    notices: await noticesOf(processes),
  };
  const cpu = new Map<number, { name: string; first: number; last: number }>();
  const memoryMiB: Record<string, number> = {};
  const loops: Record<string, number[]> = {};
  const waits: Record<string, number> = {};
  let connections = 0;
  let rounds = 0;

  async function totals(): Promise<Totals> {
    const { rows } = await sql.query<Record<keyof Totals, string>>(TOTALS);
    return { wal: Number(rows[0]!.wal), max: Number(rows[0]!.max), commits: Number(rows[0]!.commits) };
  }

  async function round(): Promise<void> {
    const { rows } = await sql.query<{
      pid: number;
      name: string;
      backend_type: string;
      wait: string | null;
    }>(BACKENDS);
    rounds += 1;
    connections += rows.filter((row) => row.backend_type === 'client backend').length;
    for (const { wait } of rows) if (wait !== null) waits[wait] = (waits[wait] ?? 0) + 1;
    const backends = rows.map(({ pid, name }) => ({ pid, name: `postgres: ${name}` }));
    for (const { pid, name } of [...processes, ...backends]) {
      const seconds = await cpuSeconds(pid).catch(() => null);
      if (seconds === null) continue; // the process has ended
      const known = cpu.get(pid) ?? { name, first: seconds, last: seconds };
      cpu.set(pid, { ...known, last: seconds });
    }
    for (const { pid, name, metrics } of processes) {
      const mib = (await residentMemory(pid).catch(() => 0)) / 2 ** 20;
      memoryMiB[name] = Math.max(memoryMiB[name] ?? 0, mib);
      if (metrics === null || rounds % 5 !== 0) continue;
      const lag = metricIn(await pageOf(metrics), 'nodejs_eventloop_lag_p99_seconds');
      loops[name] = [...(loops[name] ?? []), lag * 1000];
    }
  }

  const sampling = runPeriodically(round, {
    ...{ task: 'sample', everyMs: EVERY_MS },
    logger: pino({ level: 'warn' }),
  });
  return {
    async stop(): Promise<Samples> {
      await sampling.stop();
      const seconds = (performance.now() - begun) / 1000;
      const [last, ticks, notices] = [await totals(), await machineTicks(), await noticesOf(processes)];
      const cores: Record<string, number> = {};
      for (const { name, first: from, last: to } of cpu.values())
        cores[name] = (cores[name] ?? 0) + (to - from) / seconds;
      return {
        ...{ seconds, cores, memoryMiB },
        machine: 1 - (ticks.idle - first.machine.idle) / (ticks.all - first.machine.all),
        loopMs: Object.fromEntries(Object.entries(loops).map(([name, values]) => [name, median(values)])),
        connections: connections / rounds,
        maxConnections: last.max,
        waits: Object.fromEntries(Object.entries(waits).map(([name, n]) => [name, n / rounds])),
        walBytes: (last.wal - first.totals.wal) / seconds,
        commits: (last.commits - first.totals.commits) / seconds,
        notices: {
          nats: (notices.nats - first.notices.nats) / seconds,
          postgres: (notices.postgres - first.notices.postgres) / seconds,
        },
      };
    },
  };
}

/** Number of processors of the machine. */
export const CORES = cpus().length;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

async function pageOf(url: string): Promise<string> {
  return (await fetch(url)).text().catch(() => '');
}

/** Returns the sum of a metric over its labels. */
function metricIn(page: string, name: string): number {
  const values = page.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'));
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
}

async function noticesOf(processes: readonly Measured[]) {
  const pages = await Promise.all(processes.map(({ metrics }) => (metrics === null ? '' : pageOf(metrics))));
  const sent = (bus: string) =>
    [
      ...pages.join('\n').matchAll(new RegExp(`^tarsy_notices_sent_total\\{bus="${bus}"\\} (\\S+)$`, 'gm')),
    ].reduce((sum, [, value]) => sum + Number(value), 0);
  return { nats: sent('nats'), postgres: sent('postgres') };
}

async function machineTicks(): Promise<{ idle: number; all: number }> {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n');
  const ticks = line.split(/\s+/).slice(1, 9).map(Number);
  return { idle: ticks[3]! + ticks[4]!, all: ticks.reduce((sum, n) => sum + n, 0) };
}
