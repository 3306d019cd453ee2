import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import type { TarsyProcess } from '../helpers/process.ts';
import { expectWhole, installWriteGate, readTree, runDisturbed, SWEEP_CONFIG, scriptSweep } from './sweep.ts';

/**
 * One investigation, run again and again; each time its worker is disturbed at the k-th write to the database, for
 * every CRASH_EVERY-th k until one runs through undisturbed.
 */
const EVERY = Number(process.env.CRASH_EVERY ?? 37);

/** Milliseconds for one sweep: up to half a minute a place. */
const LIMIT_MS = Math.ceil(300 / EVERY) * 30_000;

/** Milliseconds between looks at the gate. */
const POLL_MS = 10;

/** Far more than the investigation writes. */
const LAST = 500;

let cluster: Cluster;
let gate: pg.Client;
let dir: string;
let toolLog: string;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tarsy-crash-'));
  toolLog = join(dir, 'notes');
  cluster = await startCluster({ ...SWEEP_CONFIG, toolLog });
  scriptSweep(cluster);
  await installWriteGate(cluster);
  gate = new pg.Client({ connectionString: cluster.database.url, application_name: 'gate' });
  await gate.connect();
});
afterEach(async () => {
  await gate.end();
  await cluster.stop();
  rmSync(dir, { recursive: true });
});

/** Closes the gate at the k-th write from now on; resolves with whether it was reached before `ended`. */
async function closeGateAt(k: number) {
  await gate.query('select pg_advisory_lock(4711)');
  await gate.query(`update write_gate set stop_at = $1`, [k]);
  await gate.query(`select setval('write_count', 1, false)`);
  let given = false;
  const reached = (async () => {
    // A notification of a transaction that waits is not sent: the lock that it waits for tells.
    while (!given && !(await isWaiting())) await delay(POLL_MS);
  })();
  return {
    reached,
    async open() {
      given = true;
      await gate.query('update write_gate set stop_at = 0');
      await gate.query('select pg_advisory_unlock(4711)');
    },
  };
}

async function isWaiting(): Promise<boolean> {
  const { rows } = await cluster.sql.query(
    `select 1 from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`,
  );
  return rows.length > 0;
}

/** Every tool that may change something ran at most once for each of its calls. */
function expectNotedOnce(): void {
  const notes = readFileSync(toolLog, 'utf8').trim().split('\n');
  expect(new Set(notes).size).toBe(notes.length);
}

/**
 * @param disturb what happens to the worker that waits at the gate; gets the worker and opens the gate
 * @returns the k that were covered
 */
async function sweep(
  disturb: (worker: TarsyProcess, open: () => Promise<void>, id: string) => Promise<void>,
  afterwards: (worker: TarsyProcess, id: string) => Promise<void> = async () => {},
): Promise<number[]> {
  const covered: number[] = [];
  for (let k = 1; k <= LAST; k += EVERY) {
    writeFileSync(toolLog, '');
    let worker = await cluster.startWorker();
    const closed = await closeGateAt(k);
    const id = await cluster.api.submit(`Sweep ${k}`);
    const ended = cluster.api.waitFor(id, ({ status }) => status === 'COMPLETED' || status === 'FAILED');
    const met = await Promise.race([closed.reached.then(() => true), ended.then(() => false)]);
    if (!met) {
      await closed.open();
      await worker.end('SIGKILL');
      return covered;
    }
    const disturbed = worker;
    const result = await runDisturbed(cluster, id, async () => {
      await disturb(disturbed, closed.open, id);
      if (
        disturbed.child.exitCode !== null ||
        disturbed.child.signalCode !== null ||
        disturbed.child.killed
      ) {
        worker = await cluster.startWorker();
      }
    });
    try {
      expectWhole(result);
      expectNotedOnce();
    } catch (error) {
      throw new Error(`disturbed at write ${k}: ${String(error)}\n${JSON.stringify(result.tree, null, 1)}`, {
        cause: error,
      });
    }
    await afterwards(disturbed, id);
    await Promise.all([disturbed.end('SIGKILL'), worker.end('SIGKILL')]);
    covered.push(k);
  }
  throw new Error(`the investigation writes more than ${LAST} times`);
}

const report = (what: string, covered: number[]) => {
  expect(covered.length).toBeGreaterThan(0);
  process.stdout.write(
    `${what}: ${covered.length} places covered (writes ${covered[0]} to ${covered.at(-1)}, every ${EVERY})\n`,
  );
};

test('a worker that is killed after any write loses and repeats nothing', {
  timeout: LIMIT_MS,
}, async () => {
  const covered = await sweep(async (worker, open) => {
    worker.child.kill('SIGKILL');
    await worker.end('SIGKILL');
    await open();
  });
  report('SIGKILL', covered);
});

test('a worker that is told to stop at any write hands over without loss', {
  timeout: LIMIT_MS,
}, async () => {
  const covered = await sweep(async (worker, open) => {
    worker.child.kill('SIGTERM');
    await open();
    await worker.end('SIGTERM');
  });
  report('SIGTERM', covered);
});

test('a worker that freezes at any write writes nothing after another took over', {
  timeout: LIMIT_MS,
}, async () => {
  let before = '';
  const covered = await sweep(
    async (worker, open) => {
      worker.child.kill('SIGSTOP');
      await open();
    },
    async (worker, id) => {
      before = JSON.stringify(await readTree(cluster, id));
      worker.child.kill('SIGCONT');
      await worker.end('SIGTERM');
      expect(JSON.stringify(await readTree(cluster, id))).toBe(before);
    },
  );
  report('SIGSTOP', covered);
});

test('connections that are cut at any write are made again without loss', {
  timeout: LIMIT_MS,
}, async () => {
  const covered = await sweep(async (_worker, open) => {
    await cluster.sql.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name in ('tarsy-worker', 'tarsy-listen')`,
    );
    await open();
  });
  report('lost connections', covered);
});
