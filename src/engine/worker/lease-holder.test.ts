import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Queryable } from '../../db/queryable.ts';
import {
  CancelledError,
  DatabaseAwayError,
  HandedOverError,
  LeaseLostError,
} from '../common/interruptions.ts';
import type { Bus } from '../live/bus.ts';
import type { ClaimedRun, Outcome } from '../store/lease.ts';
import { createLeaseHolder, type LeasedJob } from './lease-holder.ts';

const LIMITS = { leaseDurationMs: 60_000, heartbeatIntervalMs: 20, sessionTimeoutMs: 60_000 };
const away = () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });

function holdOf(options: { settleLimitMs?: number } = {}) {
  const bus = new EventEmitter() as unknown as Bus & { emit(name: 'cancel', id: string): void };
  const db: Queryable = { query: async () => ({ rows: [], rowCount: 0 }) };
  const logger = pino({ level: 'silent' });
  return { bus, hold: createLeaseHolder({ db, bus, limits: LIMITS, logger, ...options }) };
}

const fine: Outcome = { status: 'COMPLETED', errorMessage: null };

/** Work that notes what was done with it. */
function workOf(run: (held: ClaimedRun) => Promise<Outcome>, parts: Partial<LeasedJob> = {}) {
  const said: string[] = [];
  const work: LeasedJob = {
    name: 'work',
    claim: async () => ({
      fence: { sessionId: 's', attempt: 1 },
      elapsedMs: 0,
      renew: async () => ({ cancel: false }),
      logger: pino({ level: 'silent' }),
    }),
    run,
    end: async ({ status, errorMessage }) => void said.push([status, errorMessage ?? []].flat().join(': ')),
    giveBack: async () => void said.push('given back'),
    decline: async () => void said.push('declined'),
    ...parts,
  };
  return { work, said };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('work ends with its outcome, and an error nobody foresaw is one', async () => {
  const { hold } = holdOf();
  const good = workOf(async () => fine);
  await hold.under(good.work);
  expect(good.said).toEqual(['COMPLETED']);
  const bad = workOf(() => Promise.reject(new Error('bug')));
  await hold.under(bad.work);
  expect(bad.said).toEqual(['FAILED: The work failed unexpectedly: bug']);
});

test.each([new LeaseLostError('s'), new DatabaseAwayError(away()), new HandedOverError()])(
  'what breaks off is given back, and never ends anything: %s',
  async (reason) => {
    const { hold } = holdOf();
    const { work, said } = workOf(() => Promise.reject(reason));
    await hold.under(work);
    expect(said).toEqual(['given back']);
  },
);

test('a lease that is lost while the work fails for it is no outcome of the work', async () => {
  const { hold } = holdOf();
  const claim = async () => ({ ...(await workOf(async () => fine).work.claim())!, renew: async () => null });
  const { work, said } = workOf(
    ({ signal }) => untilAborted(signal).catch(() => Promise.reject(new Error('the call was aborted'))),
    { claim },
  );
  await hold.under(work);
  expect(said).toEqual(['given back']);
});

test('claim, end and hand-over are tried again while the database is away', async () => {
  const { hold } = holdOf();
  let failures = 0;
  const twice = async <T>(then: T): Promise<T> => {
    failures += 1;
    if (failures % 3 !== 0) throw away();
    return then;
  };
  const { work, said } = workOf(async () => fine);
  const { claim, end } = work;
  await hold.under({
    ...work,
    claim: async () => twice(await claim()),
    end: async (outcome, claimed) => twice(undefined).then(() => end(outcome, claimed)),
  });
  expect(said).toEqual(['COMPLETED']);
  expect(failures).toBe(6);
});

test('a cancel that comes before the claim has returned is not lost', async () => {
  const { hold, bus } = holdOf();
  const { work, said } = workOf(({ signal }) =>
    signal.aborted ? Promise.reject(signal.reason) : Promise.resolve(fine),
  );
  const { claim } = work;
  await hold.under({
    ...work,
    claim: async () => {
      bus.emit('cancel', 's');
      return claim();
    },
  });
  expect(said).toEqual([`CANCELLED: ${new CancelledError().message}`]);
});

test('work that does not hear that it was cancelled is left alone, and writes nothing more', async () => {
  const { hold, bus } = holdOf({ settleLimitMs: 30 });
  let held: ClaimedRun | undefined;
  const { work, said } = workOf((given) => {
    held = given;
    return new Promise(() => {});
  });
  const under = hold.under(work);
  await expect.poll(() => held).toBeDefined();
  bus.emit('cancel', 's');
  await under;
  expect(said).toEqual([`CANCELLED: ${new CancelledError().message}`]);
  await expect(held!.db.query('select 1')).rejects.toBeInstanceOf(LeaseLostError);
});

test('who stops hands everything over and takes no more', async () => {
  const { hold } = holdOf();
  let begun = false;
  const { work, said } = workOf(({ signal }) => {
    begun = true;
    return untilAborted(signal);
  });
  const under = hold.under(work);
  await expect.poll(() => begun).toBe(true);
  await hold.stop();
  await under;
  expect(said).toEqual(['given back']);
  await hold.under(work);
  expect(said).toEqual(['given back', 'declined']);
  expect(hold.active).toBe(0);
});
