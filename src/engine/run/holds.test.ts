import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import type { Queryable } from '../../db/queryable.ts';
import { CancelledError } from '../agent/abort.ts';
import type { Bus } from '../events/bus.ts';
import { DatabaseAwayError, HandedOverError, LeaseLostError } from './break-off.ts';
import { createHolds, type Held, type Work } from './holds.ts';

const LIMITS = { leaseDurationMs: 60_000, heartbeatIntervalMs: 20, sessionTimeoutMs: 60_000 };
const away = () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });

function holdsOf(options: { settleLimitMs?: number } = {}) {
  const bus = new EventEmitter() as unknown as Bus & { emit(name: 'cancel', id: string): void };
  const db: Queryable = { query: async () => ({ rows: [], rowCount: 0 }) };
  const logger = pino({ level: 'silent' });
  return { bus, holds: createHolds({ db, bus, limits: LIMITS, logger, ...options }) };
}

/** Work that notes what was done with it. */
function workOf(run: (held: Held) => Promise<string>, parts: Partial<Work<string>> = {}) {
  const said: string[] = [];
  const work: Work<string> = {
    claim: async () => ({
      fence: { sessionId: 's', attempt: 1 },
      elapsedMs: 0,
      renew: async () => ({ cancel: false }),
      logger: pino({ level: 'silent' }),
    }),
    run,
    outcomeOf: (error) => `failed: ${(error as Error).message}`,
    end: async (outcome) => void said.push(`ended: ${outcome}`),
    giveBack: async () => void said.push('given back'),
    ...parts,
  };
  return { work, said };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('work ends with its outcome, and an error nobody foresaw is one', async () => {
  const { holds } = holdsOf();
  const good = workOf(async () => 'fine');
  await holds.under(good.work);
  expect(good.said).toEqual(['ended: fine']);
  const bad = workOf(() => Promise.reject(new Error('bug')));
  await holds.under(bad.work);
  expect(bad.said).toEqual(['ended: failed: bug']);
});

test.each([new LeaseLostError('s'), new DatabaseAwayError(away()), new HandedOverError()])(
  'what breaks off is given back, and never ends anything: %s',
  async (reason) => {
    const { holds } = holdsOf();
    const { work, said } = workOf(() => Promise.reject(reason));
    await holds.under(work);
    expect(said).toEqual(['given back']);
  },
);

test('a lease that is lost while the work fails for it is no outcome of the work', async () => {
  const { holds } = holdsOf();
  const claim = async () => ({ ...(await workOf(async () => '').work.claim())!, renew: async () => null });
  const { work, said } = workOf(
    ({ signal }) => untilAborted(signal).catch(() => Promise.reject(new Error('the call was aborted'))),
    { claim },
  );
  await holds.under(work);
  expect(said).toEqual(['given back']);
});

test('claim, end and hand-over are tried again while the database is away', async () => {
  const { holds } = holdsOf();
  let failures = 0;
  const twice = async <T>(then: T): Promise<T> => {
    failures += 1;
    if (failures % 3 !== 0) throw away();
    return then;
  };
  const { work, said } = workOf(async () => 'fine');
  const { claim, end } = work;
  await holds.under({
    ...work,
    claim: async () => twice(await claim()),
    end: async (outcome, claimed) => twice(undefined).then(() => end(outcome, claimed)),
  });
  expect(said).toEqual(['ended: fine']);
  expect(failures).toBe(6);
});

test('a cancel that comes before the claim has returned is not lost', async () => {
  const { holds, bus } = holdsOf();
  const { work, said } = workOf(({ signal }) =>
    signal.aborted ? Promise.reject(signal.reason) : Promise.resolve('late'),
  );
  const { claim } = work;
  await holds.under({
    ...work,
    claim: async () => {
      bus.emit('cancel', 's');
      return claim();
    },
  });
  expect(said).toEqual([`ended: failed: ${new CancelledError().message}`]);
});

test('work that does not hear that it was cancelled is left alone, and writes nothing more', async () => {
  const { holds, bus } = holdsOf({ settleLimitMs: 30 });
  let held: Held | undefined;
  const { work, said } = workOf((given) => {
    held = given;
    return new Promise(() => {});
  });
  const under = holds.under(work);
  await vi.waitUntil(() => held);
  bus.emit('cancel', 's');
  await under;
  expect(said).toEqual([`ended: failed: ${new CancelledError().message}`]);
  await expect(held!.db.query('select 1')).rejects.toBeInstanceOf(LeaseLostError);
});

test('who stops hands everything over and takes no more', async () => {
  const { holds } = holdsOf();
  let begun = false;
  const { work, said } = workOf(({ signal }) => {
    begun = true;
    return untilAborted(signal);
  });
  const under = holds.under(work);
  await vi.waitUntil(() => begun);
  await holds.stop();
  await under;
  expect(said).toEqual(['given back']);
  expect(holds.isStopping).toBe(true);
  expect(holds.active).toBe(0);
});
