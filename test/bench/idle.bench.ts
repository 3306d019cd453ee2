import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { startCluster } from '../helpers/cluster.ts';
import { cpuSeconds, DEFAULT_LEASE } from './children.ts';
import { report } from './report.ts';
import { scaled } from './scale.ts';

/** Time until both processes have finished what a start causes (ms). */
const SETTLE_MS = scaled(500, 20_000);
const MEASURED_MS = scaled(1_000, 60_000);
const SERVER = `select pid, (select xact_commit from pg_stat_database where datname = current_database())::int as commits
  from pg_stat_activity where backend_type = 'checkpointer'`;

test('an idle API and an idle worker', async () => {
  const cluster = await startCluster({ queue: DEFAULT_LEASE });
  try {
    const worker = await cluster.startWorker();
    const node = [cluster.apiProcess.child.pid!, worker.child.pid!];
    await delay(SETTLE_MS);
    const count = async () => {
      await cluster.sql.query('select pg_stat_force_next_flush()');
      return (await cluster.sql.query<{ pid: number; commits: number }>(SERVER)).rows[0]!;
    };
    const { pid, commits } = await count();
    const postgres = await parentOf(pid);
    const look = async () => Promise.all([...node, postgres].map(treeSeconds));
    const [before, begun] = [await look(), performance.now()];
    await delay(MEASURED_MS);
    const [after, seconds] = [await look(), (performance.now() - begun) / 1000];
    const shares = after.map((spent, n) => ((spent - before[n]!) / seconds) * 100);
    const none = { baseline: null, baselineName: null };
    const total = shares.reduce((sum, share) => sum + share);
    report({ name: 'idle product, processor', value: total, unit: '%', baseline: 2, baselineName: 'target' });
    ['API', 'worker', 'PostgreSQL'].forEach((name, n) => {
      report({ name: `idle product, processor of the ${name}`, value: shares[n]!, unit: '%', ...none });
    });
    const statements = ((await count()).commits - commits) / seconds;
    report({ name: 'idle product, transactions', value: statements, unit: '/s', ...none });
  } finally {
    await cluster.stop();
  }
});

async function statOf(pid: number): Promise<string[]> {
  return (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
}

async function parentOf(pid: number): Promise<number> {
  return Number((await statOf(pid))[1]);
}

/** Returns the CPU time of a process and its children, with those that have ended (s). */
async function treeSeconds(pid: number): Promise<number> {
  const fields = await statOf(pid);
  let seconds = (await cpuSeconds(pid)) + (Number(fields[13]) + Number(fields[14])) / 100;
  const pids = (await readdir('/proc')).map(Number).filter((each) => each > 0);
  for (const each of pids) {
    if ((await parentOf(each).catch(() => null)) === pid) seconds += await cpuSeconds(each);
  }
  return seconds;
}
