import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Queryable } from '../../db/queryable.ts';
import {
  CancelledError,
  DatabaseUnavailableError,
  HandedOverError,
  LeaseLostError,
} from '../common/interruptions.ts';
import type { Bus } from '../live/bus.ts';
import { isRequested, isTimeUp } from '../run-context/time-budget.ts';
import type { ClaimedRun, RunOutcome } from '../run-context/types.ts';
import { createLeaseHolder, type LeasedJob } from './lease-holder.ts';

const LIMITS = { leaseDurationMs: 60_000, heartbeatIntervalMs: 20, sessionTimeoutMs: 60_000 };
const away = () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });

function createHolder(options: { abortLimitMs?: number; shutdownLimitMs?: number } = {}) {
  const bus = new EventEmitter() as unknown as Bus & { emit(name: 'cancel' | 'conclude', id: string): void };
  const db: Queryable = { query: async () => ({ rows: [], rowCount: 0 }) };
  const logger = pino({ level: 'silent' });
  return {
    bus,
    holder: createLeaseHolder({ db, bus, limits: LIMITS, reserveMs: 1_000, logger, ...options }),
  };
}

const completed: RunOutcome = { status: 'COMPLETED', errorMessage: null };

/** A job that records how it ends. */
function recordingJob(run: (claimed: ClaimedRun) => Promise<RunOutcome>, parts: Partial<LeasedJob> = {}) {
  const log: string[] = [];
  const job: LeasedJob = {
    name: 'job',
    claim: async () => ({
      fence: { sessionId: 's', attempt: 1 },
      elapsedMs: 0,
      renew: async () => ({ cancel: false }),
      logger: pino({ level: 'silent' }),
    }),
    run,
    end: async ({ status, errorMessage }) => void log.push([status, errorMessage ?? []].flat().join(': ')),
    release: async () => void log.push('released'),
    requeue: async () => void log.push('requeued'),
    ...parts,
  };
  return { job, log };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('stores the outcome of a job; an unexpected error fails it', async () => {
  const { holder } = createHolder();
  const good = recordingJob(async () => completed);
  await holder.run(good.job);
  expect(good.log).toEqual(['COMPLETED']);
  const bad = recordingJob(() => Promise.reject(new Error('bug')));
  await holder.run(bad.job);
  expect(bad.log).toEqual(['FAILED: The job failed unexpectedly: bug']);
});

test.each([new LeaseLostError('s'), new DatabaseUnavailableError(away()), new HandedOverError()])(
  'releases an interrupted job without an outcome: %s',
  async (reason) => {
    const { holder } = createHolder();
    const { job, log } = recordingJob(() => Promise.reject(reason));
    await holder.run(job);
    expect(log).toEqual(['released']);
  },
);

test('releases a job that fails because its lease was lost', async () => {
  const { holder } = createHolder();
  const claim = async () => ({
    ...(await recordingJob(async () => completed).job.claim())!,
    renew: async () => null,
  });
  const { job, log } = recordingJob(
    ({ signal }) => untilAborted(signal).catch(() => Promise.reject(new Error('the call was aborted'))),
    { claim },
  );
  await holder.run(job);
  expect(log).toEqual(['released']);
});

test('retries claim and end while the database is down', async () => {
  const { holder } = createHolder();
  let failures = 0;
  const twice = async <T>(then: T): Promise<T> => {
    failures += 1;
    if (failures % 3 !== 0) throw away();
    return then;
  };
  const { job, log } = recordingJob(async () => completed);
  const { claim, end } = job;
  await holder.run({
    ...job,
    claim: async () => twice(await claim()),
    end: async (outcome, claimed) => twice(undefined).then(() => end(outcome, claimed)),
  });
  expect(log).toEqual(['COMPLETED']);
  expect(failures).toBe(6);
});

test('notices a cancellation that arrives before the claim returns', async () => {
  const { holder, bus } = createHolder();
  const { job, log } = recordingJob(({ signal }) =>
    signal.aborted ? Promise.reject(signal.reason) : Promise.resolve(completed),
  );
  const { claim } = job;
  await holder.run({
    ...job,
    claim: async () => {
      bus.emit('cancel', 's');
      return claim();
    },
  });
  expect(log).toEqual([`CANCELLED: ${new CancelledError().message}`]);
});

test.each(['before the claim', 'during the claim', 'during the run'])(
  'tells a run that a responder asked for its conclusion %s',
  async (when) => {
    const { holder, bus } = createHolder();
    const ask = () => bus.emit('conclude', 's');
    const { job, log } = recordingJob(async ({ time, signal }) => {
      if (when === 'during the run') ask();
      expect([isTimeUp(time), isRequested(time), signal.aborted]).toEqual([true, true, false]);
      return completed;
    });
    const { claim } = job;
    await holder.run({
      ...job,
      claim: async () => {
        if (when === 'during the claim') ask();
        return { ...(await claim())!, isConcluding: when === 'before the claim' };
      },
    });
    expect(log).toEqual(['COMPLETED']);
  },
);

test('abandons a job that was cancelled before its claim returned and does not stop', async () => {
  const { holder, bus } = createHolder({ abortLimitMs: 30 });
  const { job, log } = recordingJob(() => new Promise(() => {}));
  const { claim } = job;
  await holder.run({
    ...job,
    claim: async () => {
      bus.emit('cancel', 's');
      return claim();
    },
  });
  expect(log).toEqual([`CANCELLED: ${new CancelledError().message}`]);
});

test('releases a cancelled job that finds its lease lost, because it may not store an outcome', async () => {
  const { holder, bus } = createHolder();
  const { job, log } = recordingJob(async () => {
    bus.emit('cancel', 's');
    throw new LeaseLostError('s');
  });
  await holder.run(job);
  expect(log).toEqual(['released']);
});

test('a job that is handed over may still store its progress', async () => {
  const { holder } = createHolder();
  let claimedRun: ClaimedRun | undefined;
  let isStored = false;
  const { job, log } = recordingJob(async (run) => {
    claimedRun = run;
    await untilAborted(run.signal).catch(() => {});
    await run.db.query('select 1');
    isStored = true;
    throw run.signal.reason;
  });
  const running = holder.run(job);
  await expect.poll(() => claimedRun).toBeDefined();
  await holder.stop();
  await running;
  expect(isStored).toBe(true);
  expect(log).toEqual(['released']);
});

test('abandons a cancelled job that does not stop, and refuses its writes', async () => {
  const { holder, bus } = createHolder({ abortLimitMs: 30 });
  let claimedRun: ClaimedRun | undefined;
  const { job, log } = recordingJob((run) => {
    claimedRun = run;
    return new Promise(() => {});
  });
  const running = holder.run(job);
  await expect.poll(() => claimedRun).toBeDefined();
  bus.emit('cancel', 's');
  await running;
  expect(log).toEqual([`CANCELLED: ${new CancelledError().message}`]);
  await expect(claimedRun!.db.query('select 1')).rejects.toBeInstanceOf(LeaseLostError);
});

test('releases its jobs on shutdown and requeues further ones', async () => {
  const { holder } = createHolder();
  let isStarted = false;
  const { job, log } = recordingJob(({ signal }) => {
    isStarted = true;
    return untilAborted(signal);
  });
  const running = holder.run(job);
  await expect.poll(() => isStarted).toBe(true);
  await holder.stop();
  await running;
  expect(log).toEqual(['released']);
  await holder.run(job);
  expect(log).toEqual(['released', 'requeued']);
  expect(holder.active).toBe(0);
});

test('gives up the jobs that wait for the database when the time to shut down is over', async () => {
  const { holder } = createHolder({ shutdownLimitMs: 30 });
  let attempts = 0;
  const claim = () => {
    attempts += 1;
    return Promise.reject(away());
  };
  const running = holder.run(recordingJob(async () => completed, { claim }).job);
  running.catch(() => {});
  await expect.poll(() => attempts).toBeGreaterThan(0);
  await holder.stop();
  await expect(running).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('an abandoned job that fails later does no harm', async () => {
  const { holder, bus } = createHolder({ abortLimitMs: 30 });
  const { promise: work, reject } = Promise.withResolvers<RunOutcome>();
  let isStarted = false;
  const { job, log } = recordingJob(() => {
    isStarted = true;
    return work;
  });
  const running = holder.run(job);
  await expect.poll(() => isStarted).toBe(true);
  bus.emit('cancel', 's');
  await running;
  reject(new Error('late'));
  await nextTurn(); // an unhandled error would fail the test here
  expect(log).toEqual([`CANCELLED: ${new CancelledError().message}`]);
});
